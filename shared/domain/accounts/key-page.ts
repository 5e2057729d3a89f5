/** Pages through the list of the API keys of an account. */
import { paginationOf } from '../../base/pagination.ts';
import type { Instant } from '../../base/time.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { apiKeyStatus, type ListedKey } from './account.ts';
import { type ListKeysQuery, type ShownKey, showKey } from './key.ts';

/**
 * Returns a page of the list of keys, the newest first, with its exact total. A key that cannot be read counts, and is left out.
 * @param keys all keys, oldest first
 */
export function toKeyPage(
  keys: readonly ListedKey[],
  { limit, offset, status }: ListKeysQuery,
  now: Instant,
): { data: ShownKey[]; pagination: ReturnType<typeof paginationOf> } {
  const matches = (key: ListedKey) =>
    status === undefined || key instanceof MalformedItemError || apiKeyStatus(key, now) === status;
  const matching = keys.filter(matches).toReversed();
  const page = matching.slice(offset, offset + limit);
  const data = leaveOutMalformed(page).map((key) => showKey(key, now));
  return { data, pagination: paginationOf({ total: matching.length, limit, offset, count: page.length }) };
}
