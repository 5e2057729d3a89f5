/** Makes the changes that requests ask of API keys. A key can change only keys of its own mode. */
import type { AuditOrigin } from '../../base/audit-origin.ts';
import { ApiError } from '../../base/errors.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import type { RecordedChange } from '../../store/commit/command.ts';
import type { RequestKey } from '../../store/commit/idempotency-records.ts';
import { firstApiVersion, storedApiVersion } from '../versions/versions.ts';
import { AccountClosedError, type ApiKey } from './account.ts';
import { recordedChange } from './answer-record.ts';
import {
  type CreateKeyBody,
  type KeyRevocation,
  type RollOverKeyBody,
  requireFoundKey,
  requireKey,
  type ShownKey,
  type ShownKeyWithValue,
  showKey,
  type UpdateKeyBody,
} from './key.ts';
import { expiryAfterRollOver, rollOverKey } from './key-roll-over.ts';
import { type CreatedKey, createKey, listAllKeys, revokeKey } from './key-store.ts';
import { updateKey } from './key-update.ts';
import { passedAddresses, passedExpiry, passedPermissions, requireNoMoreRights } from './passed-rights.ts';

const hourMs = 3_600_000;

/** A request to change API keys, as an endpoint receives it. */
interface KeysRequest<Body> {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly requestKey: RequestKey | undefined;
  readonly origin: AuditOrigin | undefined;
  readonly now: Instant;
}

/**
 * Returns the change that creates a key. Only its answer contains the value. The key has the version of the calling key,
 * unless the body names one: so a program gets keys with which its requests mean the same.
 */
export function createKeyChange({
  principal: { owner, rights = {} },
  body,
  requestKey: key,
  origin,
  now,
}: KeysRequest<CreateKeyBody>): RecordedChange<ShownKeyWithValue> {
  return recordedChange<CreatedKey, ShownKeyWithValue>({
    key,
    now,
    change: async (record) => {
      const permissions = passedPermissions(rights, body.permissions ?? undefined);
      const expiresAt = passedExpiry(rights, body.expiresAt ?? undefined, undefined, now);
      const allowedAddresses = passedAddresses(rights, body.allowedAddresses ?? undefined);
      const { name, note, apiVersion = storedApiVersion(rights.apiVersion ?? firstApiVersion) } = body;
      const asked = {
        owner,
        name,
        note: note ?? undefined,
        permissions,
        allowedAddresses,
        apiVersion,
        expiresAt,
        origin,
      };
      return refuseClosed(createKey(asked, record));
    },
    show: (created) => showWithValue(created, now),
  });
}

/** Returns the change that replaces a key by a new one. Only its answer contains the new value. */
export function rollOverKeyChange({
  principal: { owner, rights = {} },
  params: { id = '' },
  body: { overlapHours, expiresAt: asked },
  requestKey: key,
  origin,
  now,
}: KeysRequest<RollOverKeyBody>): RecordedChange<ShownKeyWithValue> {
  return recordedChange<CreatedKey, ShownKeyWithValue>({
    key,
    now,
    change: async (record) => {
      const old = requireKey(await listAllKeys(owner), id);
      const require = (key: ApiKey) => requireNoMoreRights(rights, key);
      const expiresAt = passedExpiry(rights, asked ?? undefined, expiryAfterRollOver(old, now), now);
      const overlapMs = (overlapHours ?? 0) * hourMs;
      const rollOver = { owner, keyId: id, overlapMs, expiresAt, require, origin };
      return requireFoundKey(await refuseClosed(rollOverKey(rollOver, record)));
    },
    show: (created) => showWithValue(created, now),
  });
}

/** Returns the change that changes a key. */
export function updateKeyChange({
  principal: { owner, rights = {} },
  params: { id = '' },
  body,
  requestKey: key,
  origin,
  now,
}: KeysRequest<UpdateKeyBody>): RecordedChange<ShownKey> {
  return recordedChange<ApiKey, ShownKey>({
    key,
    now,
    change: async (record) => {
      requireNoMoreRights(rights, requireKey(await listAllKeys(owner), id));
      if (body.allowedAddresses !== undefined) passedAddresses(rights, body.allowedAddresses);
      return requireFoundKey(await updateKey(owner, id, body, origin, record));
    },
    show: (changed) => showKey(changed, now),
  });
}

/** Returns the change that revokes a key. The calling key may revoke any key of its mode, also itself. */
export function revokeKeyChange({
  principal: { owner },
  params: { id = '' },
  requestKey: key,
  origin,
  now,
}: KeysRequest<undefined>): RecordedChange<KeyRevocation> {
  return recordedChange<ApiKey, KeyRevocation>({
    key,
    now,
    change: async (record) => {
      if (requireKey(await listAllKeys(owner), id).revokedAt !== undefined)
        throw new ApiError('key_already_revoked');
      return requireFoundKey(await revokeKey(owner, id, origin, record));
    },
    show: ({ keyId, revokedAt }) => ({ id: keyId, revokedAt: toTimestamp(revokedAt ?? now) }),
  });
}

/** The account can be closed while a request runs. Then its keys are revoked. */
async function refuseClosed<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof AccountClosedError ? new ApiError('revoked_api_key') : error;
  }
}

const showWithValue = (created: CreatedKey, now: Instant): ShownKeyWithValue => ({
  ...showKey(created, now),
  value: created.value,
});
