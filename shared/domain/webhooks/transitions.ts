/** Computes the next state of a webhook endpoint for each operation. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { mergeMetadata } from '../../base/metadata.ts';
import type { Instant } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import { type ApiVersion, storedApiVersion } from '../versions/versions.ts';
import { changedDestination, endpointTypeOf } from './destination.ts';
import { type Registry, registryId } from './record.ts';
import {
  type CreateWebhook,
  type EncryptedSecret,
  maxWebhooks,
  showWebhook,
  type UpdateWebhook,
  updateWebhookBody,
  type Webhook,
} from './webhook.ts';

/**
 * Creates an enabled endpoint.
 * @param secret undefined: events go to a target
 * @throws ApiError `webhook_limit_reached`
 */
export function createWebhook(
  identity: Owner & { readonly id: string },
  registry: Registry | undefined,
  { url, events, description, metadata, filters }: CreateWebhook & { readonly url: string },
  secret: EncryptedSecret | undefined,
  apiVersion: ApiVersion,
  now: Instant,
): readonly [Change<Registry>, Change<Webhook>] {
  const count = (registry?.count ?? 0) + 1;
  if (count > maxWebhooks) throw new ApiError('webhook_limit_reached');
  const { account, mode } = identity;
  const version = (registry?.version ?? 0) + 1;
  const webhook: Webhook = {
    ...identity,
    number: version,
    version: 1,
    url,
    events,
    description: description ?? null,
    status: 'enabled',
    disabledReason: null,
    secrets: secret ? [secret] : [],
    apiVersion,
    metadata: mergeMetadata(undefined, metadata),
    filters: filters ?? undefined,
    createdAt: now,
    updatedAt: now,
  };
  const counted = { ...registry, account, mode, id: registryId, status: '', version, count };
  return [internalChange(counted), internalChange(webhook)];
}

/**
 * Sets the fields that the body names. Returns undefined if they have these values already.
 * @throws ApiError as `changedDestination`, `invalid_metadata` if the webhook would have too much, `immutable_field` if a read-only field differs from its
 *   current value
 */
export function updateWebhook(
  webhook: Webhook,
  body: UpdateWebhook,
  now: Instant,
): Change<Webhook> | undefined {
  requireUnchanged('webhooks', updateWebhookBody, showWebhook(webhook), body);
  const { events = webhook.events, status = webhook.status } = body;
  const url = changedDestination(webhook.url, body);
  const { apiVersion = webhook.apiVersion } = body;
  const description = body.description === undefined ? webhook.description : body.description;
  const metadata = mergeMetadata(webhook.metadata, body.metadata);
  const filters = body.filters === undefined ? webhook.filters : (body.filters ?? undefined);
  const isUnchanged =
    url === webhook.url &&
    status === webhook.status &&
    description === webhook.description &&
    storedApiVersion(apiVersion) === storedApiVersion(webhook.apiVersion) &&
    metadata === webhook.metadata &&
    isDeepStrictEqual(filters ?? [], webhook.filters ?? []) &&
    String(events) === String(webhook.events);
  if (isUnchanged) return undefined;
  const disabledReason =
    status === webhook.status ? webhook.disabledReason : status === 'disabled' ? 'manual' : null;
  return internalChange({
    ...next(webhook, now),
    url,
    events,
    description,
    metadata,
    filters,
    status,
    disabledReason,
    apiVersion,
  });
}

/** Deletes an endpoint and reduces the count. */
export function deleteWebhook(
  registry: Registry | undefined,
  webhook: Webhook,
): readonly [Change<Registry>, Change<Webhook>] {
  if (!registry) throw new Error(`The registry of ${webhook.id} does not exist.`);
  const { version, count } = registry;
  return [
    internalChange({ ...registry, version: version + 1, count: count - 1 }),
    { ...internalChange(webhook), deleted: true },
  ];
}

/**
 * Replaces the secret of an endpoint.
 *
 * - The present secret also signs until `until`. Older secrets sign until the end that they already have.
 * - If `until` is not in the future, all old secrets end immediately.
 * - At most five secrets sign at a time. A further rotation is rejected, so that no secret ends without notice.
 * @throws ApiError `secret_limit_reached`, `webhook_without_secret`
 */
export function rotateSecret(
  webhook: Webhook,
  secret: EncryptedSecret,
  until: Instant,
  now: Instant,
): Change<Webhook> {
  if (endpointTypeOf(webhook.url) !== 'url') throw new ApiError('webhook_without_secret');
  const oldSecrets = webhook.secrets
    .map((old) => ({ ...old, until: old.until ?? until }))
    .filter((old) => until > now && old.until > now);
  if (oldSecrets.length >= maxSecrets) throw new ApiError('secret_limit_reached');
  return internalChange({ ...next(webhook, now), secrets: [secret, ...oldSecrets] });
}

/**
 * Disables an endpoint that responded 410 (`gone`) or that failed for days (`failing`). Returns undefined if it is
 * already disabled.
 */
export function disableWebhook(
  webhook: Webhook,
  reason: 'gone' | 'failing',
  now: Instant,
): Change<Webhook> | undefined {
  if (webhook.status === 'disabled') return undefined;
  return internalChange({ ...next(webhook, now), status: 'disabled', disabledReason: reason });
}

/** Each message carries a signature for each secret, so their number is limited. */
const maxSecrets = 5;

const next = (webhook: Webhook, now: Instant): Webhook => ({
  ...webhook,
  version: webhook.version + 1,
  updatedAt: Math.max(now, webhook.updatedAt + 1),
});
