/**
 * Lets the rows of a statement pay by themselves, and matches those that went out with refunds, after the statement is stored. A worker
 * calls it.
 *
 * - Each payment is a transaction of its own, and what came of a row is part of it. So the worker can begin again after a crash.
 * - A run ends before its function does, and leaves the next run a timer and the first row that it has not tried. So rows that are left to
 *   people are not tried again and again.
 * - A row that anybody has decided about is left alone. So is one whose invoice has changed, waits for a payer, or has a payment that can
 *   be the same money: a person decides.
 */
import type { Clock } from '../../base/clock.ts';
import { remainingMs } from '../../base/deadline.ts';
import { ApiError } from '../../base/errors.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { logger } from '../../base/log.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { type RealTime, now as readNow } from '../../base/time.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { type RecordBase, readRecordOfAnyAccount } from '../../store/records.ts';
import { allocateSequenceNumbers } from '../../store/sequence-numbers.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { readInvoice } from '../invoices/invoice-store.ts';
import { CheckoutOpenError } from '../invoices/open-checkout.ts';
import { invoiceType } from '../invoices/record.ts';
import { rowUseType } from '../payments/row-use-store.ts';
import { transferOf } from '../payments/transfer.ts';
import { refundType } from '../refunds/record.ts';
import { linkRefundCommand } from './link-refund.ts';
import { markWaitingRows } from './mark-waiting-rows.ts';
import { matchRefunds, namesRefund } from './match-refunds.ts';
import { matchRows, namedInvoicesOf, type RowMatch } from './match-rows.ts';
import { payRowCommand, type RowToPay } from './pay-row-store.ts';
import { statementType } from './record.ts';
import { readInvoicesById, readNamedRefunds } from './row-candidates.ts';
import { readUses } from './row-store.ts';
import type { BankStatement, StatementRow } from './statement.ts';
import { readStatementWithRows } from './statement-store.ts';
import { continueMatching, finishMatching } from './transitions.ts';
import { tryInGroups } from './try-in-groups.ts';

const paymentsAtOnce = 8;
/** A payment that begins earlier before the deadline ends in time, and so does what follows the last one. */
const reservedMs = 8_000;

/** Handles the timer of a statement. */
export async function matchStatement(timer: TimerMessage, now: RealTime): Promise<void> {
  const loaded = await readRecordOfAnyAccount(statementType, timer.reference);
  if (loaded?.record?.status === 'matching') {
    const clock = await clockOfRecord(loaded.owner, loaded.record.createdAt, now);
    const triedUntil = await payMatches(loaded.record, clock);
    const command = new Command([loaded], (present) => ({
      changes: [
        triedUntil === undefined
          ? present && finishMatching(present, clock.account)
          : present && continueMatching(present, triedUntil),
      ],
      answer: undefined,
    }));
    await commitInBackground(command, clock);
    if (triedUntil !== undefined) {
      const due = readNow();
      await setTimer({ due, kind: 'payment', reference: loaded.record.id }, due);
    }
  }
  await completeTimer(timer);
}

/** Lets rows pay. Returns the id of the first row that the next run has to try. Undefined: all were tried. */
async function payMatches({ account, mode, id }: BankStatement, clock: Clock): Promise<string | undefined> {
  const owner = { account, mode };
  const { statement, rows } = await readStatementWithRows(owner, id);
  const { records, malformed } = await readUses(owner, statement);
  const undecided = rows.filter((row) => !records.has(row.id) && !malformed.has(row.id));
  const areRefundsTried = await tryRefunds(statement, undecided.filter(namesRefund), clock);
  // The next run tries the other refunds, because those that were matched are decided then.
  if (!areRefundsTried) return statement.triedUntil ?? '';
  const named = [...new Set(undecided.flatMap(namedInvoicesOf))];
  const invoices = await readInvoicesById(owner, named);
  const hash = await tableHasher();
  const matches = matchRows(undecided, invoices, statement.currency, ({ reference }) =>
    transferOf(hash, reference),
  ).filter(({ row }) => row.id >= (statement.triedUntil ?? ''));
  const limited = limitConcurrency(paymentsAtOnce);
  const first = await tryInGroups(matches, async (groups) => {
    const principals = await allocateSequenceNumbers(owner, 'payment', groups.flat().length);
    const left: RowMatch[] = [];
    const payGroup = async (group: readonly RowMatch[]) => {
      for (const [index, match] of group.entries()) {
        const principal = principals.shift();
        if (!principal) throw new Error('There are more rows than sequence numbers.');
        if (remainingMs() < reservedMs) return void left.push(...group.slice(index));
        const { row, invoiceId: id } = match;
        // A payment changes its invoice, so the next row of the invoice reads it again.
        const invoice =
          index === 0
            ? { type: invoiceType, owner, id, record: invoices.get(id) }
            : await readInvoice(owner, id);
        await payMatch(principal, { statement, row, invoice }, clock);
      }
    };
    await throwAfterAllSettled(groups.map((group) => limited(() => payGroup(group))));
    return left;
  });
  if (first === undefined) await markWaitingRows(owner, { statement, rows });
  return first;
}

/** Matches rows that went out with refunds. Returns false if no time was left for some. */
async function tryRefunds(
  statement: BankStatement,
  rows: readonly StatementRow[],
  clock: Clock,
): Promise<boolean> {
  if (rows.length === 0) return true;
  const { account, mode, currency } = statement;
  const owner = { account, mode };
  const matches = matchRefunds(rows, await readNamedRefunds(owner, rows), currency);
  const limited = limitConcurrency(paymentsAtOnce);
  let areTried = true;
  await throwAfterAllSettled(
    matches.map(({ row, refund }) =>
      limited(async () => {
        if (remainingMs() < reservedMs) areTried = false;
        if (!areTried) return;
        const use = { type: rowUseType, owner, id: row.id, record: undefined };
        const loaded = { type: refundType, owner, id: refund.id, record: refund };
        const decision = { answer: () => undefined, isUndecided: true };
        const command = linkRefundCommand(owner, { statement, row, use, refund: loaded }, decision, clock);
        await commitOrLeave(command, { statement, row }, clock);
      }),
    ),
  );
  return areTried;
}

/**
 * Lets a row pay that nobody had decided about when it was read. If somebody has meanwhile, or the invoice has changed, the transaction
 * fails and decides again about what is stored.
 */
async function payMatch(
  principal: Principal,
  { statement, row, invoice }: Omit<RowToPay, 'use'>,
  clock: Clock,
): Promise<void> {
  const use = { type: rowUseType, owner: principal.owner, id: row.id, record: undefined };
  const command = await payRowCommand(
    principal,
    { statement, row, use, invoice },
    { amount: row.amount, isUndecided: true },
    clock,
  );
  await commitOrLeave(command, { statement, row }, clock);
}

/** Commits a match of the worker. If the records do not allow it any more, the row is left to people. */
async function commitOrLeave<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  { statement, row }: Pick<RowToPay, 'statement' | 'row'>,
  clock: Clock,
): Promise<void> {
  try {
    await commitInBackground(command, clock);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof CheckoutOpenError)) throw error;
    logger.info('row left to people', { statement: statement.id, row: row.id, reason: error.message });
  }
}
