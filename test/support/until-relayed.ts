/** Waits for what follows from changes. */
import type { TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Waits until everything that follows from the changes of an account so far is done.
 * @param owner as `account#mode`
 */
export const untilRelayed = (table: TestTable, owner: string): Promise<boolean> =>
  waitUntil('the outbox is empty', async () => (await table.outboxOf(owner)).length === 0);
