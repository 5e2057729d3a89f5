import { isDeepStrictEqual } from 'node:util';
import { changedSettings } from '../../base/audit-origin.ts';
import { ApiError } from '../../base/errors.ts';
import { type Owner, randomWebhookId } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { allowedPortsOf, policyOf } from '../../platform/outbound/policy.ts';
import { configuredPortFault, targetFault } from '../../platform/outbound/target.ts';
import { encrypt } from '../../platform/secrets/encryption.ts';
import { Command } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed, noteLeftOut } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import { fromItems, type LoadedRecord, readRecord } from '../../store/records.ts';
import type { MalformedItemError } from '../../store/stored-fields.ts';
import type { ApiVersion } from '../versions/versions.ts';
import { endpointTypeOf, newDestination, requireKnownTarget } from './destination.ts';
import { type Registry, registryId, registryKey, registryType, webhookType } from './record.ts';
import { newSecret } from './signature.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './transitions.ts';
import {
  auditedSettings,
  type CreateWebhook,
  type ShownWebhook,
  type ShownWebhookWithSecret,
  showWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookDeletion,
} from './webhook.ts';

/** Reads one endpoint. */
export function readWebhook(owner: Owner, id: string): Promise<LoadedRecord<Webhook>> {
  return readRecord(webhookType, owner, id);
}

/** Returns the endpoint that was read. @throws ApiError `webhook_not_found` */
export function requireWebhook({ record }: Pick<LoadedRecord<Webhook>, 'record'>): Webhook {
  if (!record) throw new ApiError('webhook_not_found');
  return record;
}

/** Reads the registry, which counts the endpoints. */
export function readRegistry(owner: Owner): Promise<LoadedRecord<Registry>> {
  return readRecord(registryType, owner, registryId);
}

/** Reads all endpoints of an owner, newest first, strongly consistent. Leaves malformed ones out. */
export async function readWebhooks(owner: Owner): Promise<Webhook[]> {
  const { webhooks, malformed } = await readAllWebhooks(owner);
  noteLeftOut(malformed);
  return webhooks;
}

/** Reads all endpoints of an owner, newest first, strongly consistent. */
export async function readAllWebhooks(
  owner: Owner,
): Promise<{ readonly webhooks: Webhook[]; readonly malformed: readonly MalformedItemError[] }> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': tableKeys.webhook(owner, '').pk, ':prefix': 'wh_' },
  });
  const { records, malformed } = fromItems(webhookType, owner, items);
  const webhooks = [...records.values()].sort((a, b) => b.number - a.number);
  return { webhooks, malformed: [...malformed.values()] };
}

/** Returns a page of the list of endpoints, with its exact total. Malformed endpoints count as the oldest ones. */
export function toWebhookPage(
  { webhooks, malformed }: Awaited<ReturnType<typeof readAllWebhooks>>,
  { limit, offset }: { limit: number; offset: number },
) {
  const all = [...webhooks, ...malformed];
  const page = all.slice(offset, offset + limit);
  return {
    data: leaveOutMalformed<Webhook>(page).map(showWebhook),
    pagination: paginationOf({ total: all.length, limit, offset, count: page.length }),
  };
}

/** A request whose body may contain a target URL. `host` is its Host header, which names this service. */
interface TargetRequest<Body> {
  readonly body: Body;
  readonly host: string | undefined;
  readonly now: Instant;
}

/**
 * Returns the command that creates an endpoint. Only this answer and those of rotations show a secret. The endpoint gets its
 * events in the version of the request.
 */
export async function createWebhookCommand(
  owner: Owner,
  registry: LoadedRecord<Registry>,
  { body, host, now, apiVersion }: TargetRequest<CreateWebhook> & { readonly apiVersion: ApiVersion },
): Promise<Command<[Registry, Webhook], ShownWebhookWithSecret>> {
  const url = newDestination(body);
  requireCallable(url, owner, host);
  const id = randomWebhookId(owner.account);
  // AWS checks the role that sends to a target, so nothing is signed.
  const secret = endpointTypeOf(url) === 'url' ? newSecret() : null;
  const encrypted = secret === null ? undefined : { ciphertext: await encrypt(secret, id) };
  const loaded = { type: webhookType, owner, id, record: undefined };
  return new Command([registry, loaded], (counted) => {
    const changes = createWebhook({ ...owner, id }, counted, { ...body, url }, encrypted, apiVersion, now);
    const created = changes[1].record;
    return {
      changes,
      answer: { ...showWebhook(created), secret },
      changedSettings: changedSettings(undefined, auditedSettings(created)),
    };
  });
}

/**
 * Returns the command that changes an endpoint. Enabling a disabled endpoint and changing where its events go also delete its health, in
 * the same transaction: the new address has not failed.
 * @param require checks a further condition on the endpoint, and throws if the endpoint does not meet it
 */
export function updateWebhookCommand(
  loaded: LoadedRecord<Webhook>,
  { body, host, now }: TargetRequest<UpdateWebhook>,
  require?: (webhook: Webhook) => void,
): Command<[Webhook], ShownWebhook> {
  for (const destination of [body.url, body.target])
    if (destination != null && destination !== loaded.record?.url)
      requireCallable(destination, loaded.owner, host);
  return new Command([loaded], (record) => {
    const webhook = requireWebhook({ record });
    require?.(webhook);
    const change = updateWebhook(webhook, body, now);
    const isReenabled = webhook.status === 'disabled' && change?.record.status === 'enabled';
    const isMoved = change !== undefined && change.record.url !== webhook.url;
    return {
      changes: [change],
      answer: showWebhook(change?.record ?? webhook),
      ...(change && {
        changedSettings: changedSettings(auditedSettings(webhook), auditedSettings(change.record)),
      }),
      ...(change && getsOtherEvents(webhook, change.record) && { bumpsVersionOf: [registryKey(webhook)] }),
      ...((isReenabled || isMoved) && { deletes: [tableKeys.webhookHealth(webhook.id)] }),
    };
  });
}

const getsOtherEvents = (before: Webhook, after: Webhook): boolean =>
  before.status !== after.status ||
  String(before.events) !== String(after.events) ||
  !isDeepStrictEqual(before.filters ?? [], after.filters ?? []);

/** Returns the command that deletes an endpoint. */
export function deleteWebhookCommand(
  registry: LoadedRecord<Registry>,
  webhook: LoadedRecord<Webhook>,
  now: Instant,
): Command<[Registry, Webhook], WebhookDeletion> {
  return new Command([registry, webhook], (counted, record) => {
    const found = requireWebhook({ record });
    return {
      changes: deleteWebhook(counted, found),
      answer: { id: found.id, deletedAt: toTimestamp(now) },
      changedSettings: changedSettings(auditedSettings(found), undefined),
    };
  });
}

/** Returns the command that replaces an endpoint's secret. The answer shows the new secret. */
export async function rotateSecretCommand(
  loaded: LoadedRecord<Webhook>,
  overlapMs: number,
  now: Instant,
): Promise<Command<[Webhook], ShownWebhookWithSecret>> {
  const secret = newSecret();
  const encrypted = { ciphertext: await encrypt(secret, loaded.id) };
  return new Command([loaded], (record) => {
    const change = rotateSecret(requireWebhook({ record }), encrypted, now + overlapMs, now);
    return { changes: [change], answer: { ...showWebhook(change.record), secret } };
  });
}

/** Checks that events may go to a URL or a target. @throws ApiError `invalid_url`, `invalid_target` */
function requireCallable(destination: string, owner: Owner, host: string | undefined): void {
  const type = endpointTypeOf(destination);
  if (type !== 'url') {
    requireKnownTarget(type, destination, owner);
    return;
  }
  const message =
    targetFault(destination, policyOf(owner, host)) ??
    configuredPortFault(destination, allowedPortsOf(owner.mode));
  if (message !== undefined) throw new ApiError('invalid_url', { field: 'url', message });
}
