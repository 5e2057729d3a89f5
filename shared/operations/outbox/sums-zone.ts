/** Finds the time zone in which the sums of an account have their days. */
import type { Owner } from '../../base/ids.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { journalPartOf } from '../../domain/journal/journal-item.ts';
import type { OutboxItem } from '../../store/commit/outbox-item.ts';
import type { LogEnds } from './append-changes.ts';

/**
 * Returns the time zone of the sums of an owner. The cursor of the event log has it from the first sum on, so only the first one
 * needs a call.
 * @returns UTC if no item adds to the sums
 * @throws MalformedItemError if the profile of the account cannot be read
 */
export async function readSumsZone(
  { account }: Owner,
  items: readonly OutboxItem[],
  { eventCursor }: LogEnds,
): Promise<string> {
  const stored = eventCursor?.sumsZone;
  if (typeof stored === 'string') return stored;
  if (!items.some(journalPartOf)) return 'UTC';
  return (await readAccount(account))?.timeZone ?? 'UTC';
}
