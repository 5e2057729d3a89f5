/** Sends an event to an endpoint, once. Only this file knows how the types of endpoints differ in that. */

import { parseTarget } from '../../base/aws-targets.ts';
import { env } from '../../base/env.ts';
import { now } from '../../base/time.ts';
import { type TargetMessage, targetClient } from '../../platform/aws/target-client.ts';
import { policyOf } from '../../platform/outbound/policy.ts';
import { postTo } from '../../platform/outbound/post.ts';
import { decrypt } from '../../platform/secrets/encryption.ts';
import { eventBodyIn } from '../versions/convert.ts';
import { type ApiVersion, storedApiVersion } from '../versions/versions.ts';
import type { DeliveryAttempt } from './delivery.ts';
import type { DeliveryWork } from './delivery-store.ts';
import { endpointTypeOf } from './destination.ts';
import { fixedMessageHeaders, signedHeaders } from './signature.ts';
import type { Webhook } from './webhook.ts';

/** The result of sending an event. */
export interface SendResult extends Omit<DeliveryAttempt, 'number'> {
  readonly retryAfter?: string | undefined;
}

type Event = NonNullable<DeliveryWork['event']>;

/**
 * Sends the event in the version of the endpoint. All attempts in one version send the same bytes.
 * @throws Error only if the endpoint's secret cannot be decrypted, or if the function has no credentials
 */
export function sendEvent(webhook: Webhook, event: Event): Promise<SendResult> {
  const body = sentBodyOf(event, storedApiVersion(webhook.apiVersion));
  return endpointTypeOf(webhook.url) === 'url' ? post(webhook, event.id, body) : call(webhook, body);
}

/** Signs the event and posts it. */
async function post(webhook: Webhook, id: string, body: Buffer): Promise<SendResult> {
  const begunAt = now();
  const valid = webhook.secrets.filter(({ until = Number.POSITIVE_INFINITY }) => until > begunAt);
  const secrets = await Promise.all(valid.map(({ ciphertext }) => decrypt(ciphertext, webhook.id)));
  // The receiver checks the age of the signature, so nothing waits between it and the request.
  const at = now();
  const headers = { ...signedHeaders(id, body, secrets, at), ...fixedMessageHeaders };
  const { body: answer, ...outcome } = await postTo(webhook.url, { headers, body }, policyOf(webhook));
  return { at, ...outcome, answer };
}

const answerBytes = 1024;

/** Hands the event to AWS, which checks the role of this function. So it needs no signature. */
async function call(webhook: Webhook, body: Buffer): Promise<SendResult> {
  const at = now();
  const { url: arn } = webhook;
  // A later deployment can leave a target out.
  const target = env.eventTargets().includes(arn) ? parseTarget(arn) : undefined;
  if (!target) return { at, durationMs: 0, error: 'target_not_allowed', answer: '' };
  const startedAt = performance.now();
  const { answer, ...outcome } = await targetClient.send(target, toMessage(webhook, body.toString('utf8')));
  const durationMs = Math.round(performance.now() - startedAt);
  const shown = new TextDecoder().decode(Buffer.from(answer).subarray(0, answerBytes), { stream: true });
  return { at, durationMs, ...outcome, answer: shown };
}

/**
 * The most that a body may have, with room for its attributes below 256 KiB. AWS accepts 1 MiB of each type since January 2026
 * (https://aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb). But a queue can have a
 * lower limit, whose default is often 256 KiB (`MaximumMessageSize`), and so can what a bus or a queue passes the event on to.
 */
const maxBodyBytes = 255 * 1024;

/** Returns the event with its attributes. If it is too large, its body names the event, which the API returns. */
function toMessage({ account }: Webhook, body: string): TargetMessage {
  const event = JSON.parse(body);
  const { id, type, mode } = event;
  const message = { id, type, mode, account, objectId: String(event.data.id), body };
  return Buffer.byteLength(body) <= maxBodyBytes ? message : { ...message, body: toReference(event) };
}

/** Returns the body of an event by reference: without the object, except for its id. */
function toReference({
  data,
  previous: _,
  ...event
}: {
  readonly id: string;
  readonly data: { readonly id: string };
  readonly previous?: unknown;
}): string {
  return JSON.stringify({ ...event, data: { id: data.id }, reference: `/api/events/${event.id}` });
}

/** The bytes of events by version. So the endpoints of an event share its conversion. */
const sentBodies = new WeakMap<Event, Map<ApiVersion, Buffer>>();

function sentBodyOf(event: Event, version: ApiVersion): Buffer {
  const bodies = sentBodies.get(event) ?? new Map<ApiVersion, Buffer>();
  const body = bodies.get(version) ?? Buffer.from(eventBodyIn(version, event.body));
  sentBodies.set(event, bodies.set(version, body));
  return body;
}
