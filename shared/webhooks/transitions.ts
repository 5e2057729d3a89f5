/** Which state of a webhook endpoint may follow which. Pure. */
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { RecordBase } from '../store/records.ts';
import type { Change } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { type Registry, registryId } from './record.ts';
import {
  type CreateWebhook,
  maxWebhooks,
  type SealedSecret,
  type UpdateWebhook,
  type Webhook,
} from './webhook.ts';

/**
 * A new endpoint is enabled.
 * @throws ApiError `webhook_limit_reached`
 */
export function createWebhook(
  place: Owner & { readonly id: string },
  registry: Registry | undefined,
  { url, events, description }: CreateWebhook,
  secret: SealedSecret,
  now: Instant,
): readonly [Change<Registry>, Change<Webhook>] {
  const count = (registry?.count ?? 0) + 1;
  if (count > maxWebhooks) throw new ApiError('webhook_limit_reached');
  const { account, mode } = place;
  const version = (registry?.version ?? 0) + 1;
  const webhook: Webhook = {
    ...{ ...place, number: version },
    ...{ version: 1, url, events, description: description ?? null, status: 'enabled', disabledReason: null },
    ...{ secrets: [secret], createdAt: now, updatedAt: now },
  };
  const counted = { account, mode, id: registryId, status: '', version, count };
  return [quiet(counted), quiet(webhook)];
}

/** Sets what the body names; undefined if it is so already. Whoever is enabled again begins anew. */
export function updateWebhook(
  webhook: Webhook,
  body: UpdateWebhook,
  now: Instant,
): Change<Webhook> | undefined {
  const { url = webhook.url, events = webhook.events, status = webhook.status } = body;
  const description = body.description === undefined ? webhook.description : body.description;
  const same =
    url === webhook.url &&
    status === webhook.status &&
    description === webhook.description &&
    String(events) === String(webhook.events);
  if (same) return undefined;
  const disabledReason =
    status === webhook.status ? webhook.disabledReason : status === 'disabled' ? 'manual' : null;
  return quiet({ ...next(webhook, now), url, events, description, status, disabledReason });
}

/** Nothing is sent to it any more, and there is room for another one. */
export function deleteWebhook(
  registry: Registry | undefined,
  webhook: Webhook,
): readonly [Change<Registry>, Change<Webhook>] {
  if (!registry) throw new Error(`The registry of ${webhook.id} is gone.`);
  const { version, count } = registry;
  return [quiet({ ...registry, version: version + 1, count: count - 1 }), { ...quiet(webhook), gone: true }];
}

/**
 * The new secret signs from now on, the present one along with it until `until`, those before it until the time that was
 * promised to them; if `until` is not ahead, all but the new one end at once. A rotation that would leave more than five
 * signing is refused: none is dropped in silence.
 * @throws ApiError `secret_limit_reached`
 */
export function rotateSecret(
  webhook: Webhook,
  secret: SealedSecret,
  until: Instant,
  now: Instant,
): Change<Webhook> {
  const before = webhook.secrets
    .map(({ ciphertext, until: promised = until }) => ({ ciphertext, until: promised }))
    .filter((old) => until > now && old.until > now);
  if (before.length >= maxSecrets) throw new ApiError('secret_limit_reached');
  return quiet({ ...next(webhook, now), secrets: [secret, ...before] });
}

/** The endpoint is sent nothing more, on its own wish or because it takes nothing; undefined if that is so already. */
export function disableWebhook(
  webhook: Webhook,
  reason: 'gone' | 'failing',
  now: Instant,
): Change<Webhook> | undefined {
  if (webhook.status === 'disabled') return undefined;
  return quiet({ ...next(webhook, now), status: 'disabled', disabledReason: reason });
}

/** Receivers are sent a signature of each, so there is an end to rotating again and again. */
const maxSecrets = 5;

const next = (webhook: Webhook, now: Instant): Webhook => ({
  ...webhook,
  version: webhook.version + 1,
  updatedAt: Math.max(now, webhook.updatedAt + 1),
});

/** A change that nothing follows from. */
function quiet<T extends RecordBase>(record: T): Change<T> {
  return { record, element: undefined, events: [], timers: [] };
}
