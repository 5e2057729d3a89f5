/** Shows API keys as the output of commands. */

import { type Instant, now, toTimestamp } from '../shared/base/time.ts';
import { type ApiKey, apiKeyStatus } from '../shared/domain/accounts/account.ts';
import type { CommandResult } from './command.ts';

/** Returns the output of a command that made a key. Its value is shown only once. */
export function showKeyWithValue(key: ApiKey, value: string): CommandResult {
  const rows = [
    ['key', key.keyId],
    ['value', value],
  ];
  return {
    json: { ...toKeyOutput(key), value },
    table: { rows },
    remark: 'The value is shown only once. Store it in a safe place.',
  };
}

/** Returns a key as the JSON output shows it. */
export function toKeyOutput(key: ApiKey) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt } = key;
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    ...key,
    status: apiKeyStatus(key, now()),
    note: key.note ?? null,
    permissions: key.permissions ?? null,
    allowedAddresses: key.allowedAddresses ?? null,
    createdAt: toTimestamp(createdAt),
    expiresAt: timestamp(expiresAt),
    revokedAt: timestamp(revokedAt),
    lastUsedAt: timestamp(lastUsedAt),
    replaces: key.replaces ?? null,
    replacedBy: key.replacedBy ?? null,
  };
}
