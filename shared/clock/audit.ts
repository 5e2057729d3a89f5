/** Records in the audit log who moves and resets the clock of test mode. */
import { newAuditEntry } from '../audit/entry.ts';
import { addAuditEntry } from '../audit/store.ts';
import type { Owner } from '../ids.ts';
import type { StoredClock } from '../test-clock.ts';

/** Stores the entry of a move. Storing it again changes nothing. */
export const recordMove = (owner: Owner, { a: move }: Pick<StoredClock, 'a'>): Promise<void> =>
  move ? recordClockChange(owner, move) : Promise.resolve();

/** Stores the entry of a change of the clock. The same operation and time give the same entry. */
export async function recordClockChange(
  owner: Owner,
  { operation, at, origin }: NonNullable<StoredClock['a']>,
): Promise<void> {
  const entry = { ...origin, outcome: 'done', resource: null, changes: [] } as const;
  await addAuditEntry(owner, newAuditEntry(operation, at, entry));
}
