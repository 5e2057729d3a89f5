/**
 * Appends entries to logs. A log is items with consecutive numbers, and a head that has the last number.
 *
 * - One transaction raises the heads of all logs and puts what follows them. It has a condition on each head as it was read, and on
 *   the absence of each entry. So a log has no gap and no twin, whatever crashes or runs at the same time.
 * - An entry that exists was appended by an earlier run, and is left as it is.
 */
import { retryDelayMs } from './client.ts';
import { type FailedAction, type TransactionItem, writeTransaction } from './transactions.ts';

/** A log with the entries that it still lacks. */
export interface OpenLog {
  /** Returns the actions that append the missing entries. The first one raises the head. Empty if nothing is missing. */
  actions(): readonly TransactionItem[];
  /** Notes that the actions were written. */
  onWritten(): void;
  /**
   * Notes why the actions were refused: entries that exist are not missing, and the head may be another one.
   * @param failed the result of each action
   * @returns whether another writer has raised the head
   */
  onRefused(failed: readonly FailedAction[]): Promise<boolean>;
}

/** Another relay adds entries of the same log between two attempts. Each attempt that fails means that another one did not. */
const maxAttempts = 50;

/**
 * Appends what the logs lack, in one transaction for all of them.
 * @throws the error of DynamoDB, of `onRefused`, or an Error if other writers kept appending
 */
export async function appendToLogs(logs: readonly OpenLog[]): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const plans = logs.map((log) => ({ log, actions: log.actions() }));
    const actions = plans.flatMap((plan) => plan.actions);
    if (actions.length === 0) return;
    const result = await writeTransaction(actions);
    if (result.written) {
      for (const { log } of plans) log.onWritten();
      return;
    }
    let first = 0;
    let isBehind = false;
    for (const { log, actions: own } of plans) {
      const failed = result.failed.slice(first, first + own.length);
      first += own.length;
      if (failed.length > 0 && (await log.onRefused(failed))) isBehind = true;
    }
    if (isBehind) await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
  }
  throw new Error('Other writers kept appending to the same log.');
}
