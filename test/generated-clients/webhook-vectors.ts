/** Makes signed messages for the clients in other languages: the outcome of each is that of the TypeScript client. */
import { deepEqual, equal } from 'node:assert/strict';
import {
  verifyWebhook,
  type WebhookFailure,
  WebhookVerificationError,
} from '../../client/src/verify-webhook.ts';
import { newSecret, signedHeaders } from '../../shared/domain/webhooks/signature.ts';

interface WebhookVector {
  readonly name: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string | readonly string[];
  /** In milliseconds. */
  readonly receivedAt: number;
  readonly apiVersion: string | readonly string[];
  /** Null: the message is accepted. */
  readonly code: WebhookFailure | null;
}

const at = Date.parse('2026-03-01T10:00:00Z');
const [secret, next, other] = [newSecret(), newSecret(), newSecret()];
const event = { id: 'evt_1', type: 'invoice.paid', data: { id: 'inv_1', description: 'Grüße, བརྡ་ <&> 1.5' } };
const body = JSON.stringify({ ...event, apiVersion: '2026-11-23' });
const signed = (text: string, secrets: readonly string[] = [secret], time = at) =>
  signedHeaders(event.id, Buffer.from(text), secrets, time as Parameters<typeof signedHeaders>[3]);
const accepted = {
  name: 'a message',
  body,
  headers: signed(body),
  secret,
  receivedAt: at,
  apiVersion: '2026-11-23',
  code: null,
};
const first = JSON.stringify(event);
const spaced = JSON.stringify(JSON.parse(body), null, 1);

const vectors: readonly WebhookVector[] = [
  accepted,
  { ...accepted, name: 'two signatures', headers: signed(body, [next, secret]) },
  { ...accepted, name: 'two secrets', headers: signed(body, [next]), secret: [secret, next] },
  {
    ...accepted,
    name: 'an event of the first version',
    body: first,
    headers: signed(first),
    apiVersion: '2026-11-21',
  },
  { ...accepted, name: 'another version', body: first, headers: signed(first), code: 'wrong_version' },
  { ...accepted, name: 'two versions', apiVersion: ['2026-11-21', '2026-11-23'] },
  { ...accepted, name: 'the last moment', receivedAt: at + 300_000 },
  { ...accepted, name: 'an old message', receivedAt: at + 301_000, code: 'too_old' },
  { ...accepted, name: 'a message of the future', receivedAt: at - 301_000, code: 'too_new' },
  { ...accepted, name: 'another secret', secret: other, code: 'wrong_secret' },
  { ...accepted, name: 'no secret', secret: 'whsec_', code: 'invalid_secret' },
  { ...accepted, name: 'another body', body: body.replace('inv_1', 'inv_2'), code: 'wrong_secret' },
  { ...accepted, name: 'a body in another form', body: spaced, code: 'body_changed' },
  { ...accepted, name: 'a body that is no JSON', body: '{"id"', code: 'body_changed' },
  { ...accepted, name: 'no headers', headers: {}, code: 'missing_header' },
  {
    ...accepted,
    name: 'another id',
    headers: { ...signed(body), 'webhook-id': 'evt_2' },
    code: 'wrong_secret',
  },
];

/** Returns the messages. @throws Error if the TypeScript client has another outcome */
export async function webhookVectors(): Promise<readonly WebhookVector[]> {
  for (const vector of vectors) {
    const { name, code, receivedAt, apiVersion } = vector;
    const options = { receivedAt: new Date(receivedAt), apiVersion: apiVersion as '2026-11-23' };
    const result = await verifyWebhook(vector.body, vector.headers, vector.secret, options).catch(
      (error) => error,
    );
    if (code === null) deepEqual(result, JSON.parse(vector.body), name);
    else equal(result instanceof WebhookVerificationError && result.code, code, name);
  }
  return vectors;
}
