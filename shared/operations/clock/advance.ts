/**
 * Advances a clock of test mode that moves: does what became due, in the order of the due times, until the clock arrives.
 *
 * - Requests for the clock call it, and a worker if they stop, see `continue-move.ts`. A call that stops or crashes at any
 *   point leaves a clock that still moves, and the next call continues. Several calls at once do no harm, because each effect
 *   is a transition with a condition, and each step of the clock is conditional on the step before it.
 * - A due date passes here. Payments, refunds, reminders, schedules and attempts to deliver webhooks are left to their own workers, and this
 *   function waits for them.
 * - The timers that exist are too late after a move. So each pending invoice whose due date is near gets one more, in the
 *   real time. The earlier timer stays, and then finds nothing to do.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { clockAt, toRealTime } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import { type StoredClock, stepClock } from '../../base/test-clock.ts';
import { type AccountTime, type Instant, now } from '../../base/time.ts';
import type { ReminderPlan } from '../../domain/accounts/reminder-plan.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { makeInvoiceOverdue, readInvoiceIndex } from '../../domain/invoices/invoice-store.ts';
import { invoiceType } from '../../domain/invoices/record.ts';
import { reminderTimersOf } from '../../domain/mails/reminder-timers.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { readPaymentIndex } from '../../domain/payments/payment-store.ts';
import { paymentType } from '../../domain/payments/record.ts';
import { pollTimer } from '../../domain/payments/transitions.ts';
import { refundType } from '../../domain/refunds/record.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { readRefundIndex } from '../../domain/refunds/refund-store.ts';
import { processTimer } from '../../domain/refunds/transitions.ts';
import { scheduleType } from '../../domain/schedules/record.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { readScheduleIndex } from '../../domain/schedules/schedule-list-store.ts';
import { scheduleTimer } from '../../domain/schedules/transitions.ts';
import { accountTimeOfAttempt, type Delivery } from '../../domain/webhooks/delivery.ts';
import { readAccountClock, writeAccountClock } from '../../store/account-clock.ts';
import type { Principal } from '../../store/account-state.ts';
import type { IndexView, StatusFilter } from '../../store/lists/pages/index-view.ts';
import { listRecords } from '../../store/lists/pages/lists.ts';
import { type NumberedRecord, type NumberedType, readRecord } from '../../store/records.ts';
import { isSetByChange } from '../../store/timers/due-dates.ts';
import { prepareTimers } from '../../store/timers/timer-batches.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { setTimer } from '../../store/timers/timers.ts';
import { hasOpenChanges, readPendingDeliveries, settleAttempt, settleChanges } from './due-deliveries.ts';
import { DueReminders } from './due-reminders.ts';
import { DueSchedules } from './due-schedules.ts';

/** How many records one read returns, and how many timers are stored together. */
const batchSize = 1_000;
/** A payment or a refund is due this long after its creation. The test provider has its outcome by then. */
const outcomeMs = 5_000;
/** How often this function asks whether a worker has settled a record, and how often it sends the worker a message. */
const checkMs = 100;
const messageMs = 1_000;
/** How long a call settles at least, once it has read what is pending. */
const leastMs = 1_000;

/** Something that is pending, and the time of the account at which it is due. */
interface Due {
  readonly at: AccountTime;
  /** Does it. Returns false if it is not done at the end of the call. */
  readonly settle: (clock: StoredClock, end: number) => Promise<boolean>;
  /** Whether something else can become due by it, before what is next. */
  readonly causesMore?: boolean;
}

/**
 * Advances the clock of an account, for at most about `budgetMs` milliseconds.
 * @returns the clock. If it still has a target, the next call continues.
 */
export async function advanceClock(principal: Principal, budgetMs: number): Promise<StoredClock | undefined> {
  const { owner } = principal;
  const end = performance.now() + budgetMs;
  const startedAt = now();
  const reminders = await DueReminders.of(owner);
  const dueSchedules = new DueSchedules(owner);
  for (;;) {
    const { clock } = await readAccountClock(owner);
    if (clock?.t === undefined || performance.now() > end) return clock;
    const target = clockAt({ o: clock.t }, now()).account;
    const from = clockAt(clock, now()).account;
    const pending = await readPending(principal, startedAt, (invoices, schedules) => [
      ...reminders.until(target, from, invoices),
      ...dueSchedules.of(schedules, from),
    ]);
    const due = pending.filter(({ at }) => at <= target).sort((one, other) => one.at - other.at);
    if (due.length > 0) await settleInOrder(principal, clock, due, end);
    else await arrive(principal, clock, reminders.plan);
  }
}

/**
 * Settles what is due, one after the other, until the time is over or another call has stepped the clock. Reading many pending
 * records can take all of the time. So there is always some left, and each call makes progress.
 */
async function settleInOrder(
  { owner }: Principal,
  first: StoredClock,
  due: readonly Due[],
  budgetEnd: number,
) {
  const end = Math.max(budgetEnd, performance.now() + leastMs);
  let clock = first;
  for (const { at, settle, causesMore } of due) {
    if (performance.now() > end) return;
    if (at > clockAt(clock, now()).account) {
      const next = stepClock(clock, at, now());
      if (!(await writeAccountClock(owner, clock, next))) return;
      clock = next;
    }
    if (!(await settle(clock, end)) || causesMore) return;
  }
}

/** Nothing more is due: sets the timers of the invoices that are due later, and ends the move. */
async function arrive(
  principal: Principal,
  clock: StoredClock,
  plan: ReminderPlan | undefined,
): Promise<void> {
  const { owner } = principal;
  // The clock has its last offset before the timers are sent, so none of them arrives too early.
  const reached = stepClock(clock, Number.POSITIVE_INFINITY, now());
  if (!(await writeAccountClock(owner, clock, reached))) return;
  const open = await readOpenInvoices(principal);
  const schedules = (await readActiveSchedules(principal)).map(
    (schedule): Timer => scheduleTimer(schedule, toRealTime(clockAt(reached, now()), schedule.nextAt)),
  );
  const dueDates = open
    .filter(({ status }) => status === 'pending')
    .map(
      ({ id, overdueAt }): Timer => ({
        due: toRealTime(clockAt(reached, now()), overdueAt),
        kind: 'overdue',
        reference: id,
      }),
    )
    .filter((timer) => isSetByChange(timer, now()));
  const reminders = plan
    ? open.flatMap((invoice) => reminderTimersOf(owner, invoice, plan, clockAt(reached, now())))
    : [];
  const timers = [...dueDates, ...reminders, ...schedules];
  for (let index = 0; index < timers.length; index += batchSize) {
    const prepared = await prepareTimers(timers.slice(index, index + batchSize), now());
    await Promise.all(prepared.map(({ send }) => send()));
  }
  await writeAccountClock(owner, reached, stepClock(reached, undefined, now()));
}

/** A schedule that makes an invoice at a known time. */
type ActiveSchedule = Schedule & { readonly nextAt: AccountTime };

/**
 * @param startedAt when the call began. What follows from earlier changes comes first.
 * @param mailsAndTimesOf returns the reminders of open invoices, and the times of active schedules
 */
async function readPending(
  principal: Principal,
  startedAt: Instant,
  mailsAndTimesOf: (open: readonly Invoice[], active: readonly ActiveSchedule[]) => readonly Due[],
): Promise<Due[]> {
  const { owner } = principal;
  const [isFollowing, invoices, payments, refunds, deliveries, schedules] = await Promise.all([
    hasOpenChanges(owner, startedAt),
    readOpenInvoices(principal),
    readPendingPayments(principal),
    readPendingRefunds(principal),
    readPendingDeliveries(owner),
    readActiveSchedules(principal),
  ]);
  const hosted = await Promise.all(refunds.map((refund) => isAtProvider(principal, refund)));
  return [
    ...(isFollowing ? [openChangesOf(owner, startedAt)] : []),
    ...invoices.filter(({ status }) => status === 'pending').map((invoice) => dueDateOf(principal, invoice)),
    ...mailsAndTimesOf(invoices, schedules),
    ...payments.map((payment) => outcomeOf(principal, paymentType, payment, pollTimer)),
    ...refunds
      .filter((_, index) => !hosted[index])
      .map((refund) => outcomeOf(principal, refundType, refund, processTimer)),
    ...deliveries.map(attemptOf),
  ];
}

/** Whether a provider outside the service executes the refund. It has the real time, so the move does not wait for it. */
async function isAtProvider({ owner }: Principal, { paymentId }: Refund): Promise<boolean> {
  return (await readRecord(paymentType, owner, paymentId)).record?.provider !== undefined;
}

/** Reads the invoices that are pending or overdue. */
const readOpenInvoices = async (principal: Principal) =>
  readRecordsOf(principal, invoiceType, await readInvoiceIndex(principal.owner, {}), ['pending', 'overdue']);

const readPendingPayments = async (principal: Principal) =>
  readRecordsOf(principal, paymentType, await readPaymentIndex(principal.owner, {}), 'pending');

const readPendingRefunds = async (principal: Principal) =>
  readRecordsOf(principal, refundType, await readRefundIndex(principal.owner, {}), 'pending');

async function readActiveSchedules(principal: Principal): Promise<ActiveSchedule[]> {
  const view = await readScheduleIndex(principal.owner);
  const open = await readRecordsOf(principal, scheduleType, view, 'open');
  return open.flatMap(({ nextAt, ...schedule }) => (nextAt === undefined ? [] : [{ ...schedule, nextAt }]));
}

async function readRecordsOf<T extends NumberedRecord>(
  principal: Principal,
  type: NumberedType<T>,
  view: IndexView,
  status: StatusFilter,
): Promise<T[]> {
  const records: T[] = [];
  for (let offset = 0; ; ) {
    const query = { status, offset, limit: batchSize };
    const { rows, total, count } = await listRecords(type, principal, view, query);
    records.push(...rows);
    offset += count;
    if (count === 0 || offset >= total) return records;
  }
}

const dueDateOf = ({ owner }: Principal, invoice: Invoice): Due => ({
  at: invoice.overdueAt,
  settle: async (clock) => {
    const loaded = { type: invoiceType, owner, id: invoice.id, record: invoice };
    await makeInvoiceOverdue(loaded, clockAt(clock, now()));
    return true;
  },
});

/** Waits for what follows from earlier changes, before anything else. */
const openChangesOf = (owner: Owner, before: Instant): Due => ({
  at: Number.NEGATIVE_INFINITY,
  settle: (_, end) => settleChanges(owner, before, end),
  causesMore: true,
});

/** Waits for the next attempt of a delivery. If it fails, the attempt after it may be next. */
const attemptOf = (delivery: Delivery): Due => ({
  at: accountTimeOfAttempt(delivery),
  settle: (clock, end) => settleAttempt(delivery, clock, end),
  causesMore: true,
});

/** Waits for the worker that settles a payment or a refund. */
const outcomeOf = <T extends Payment | Refund>(
  { owner }: Principal,
  type: NumberedType<T>,
  record: T,
  timerOf: (record: T, due: Instant) => Timer,
): Due => ({
  at: record.createdAt + outcomeMs,
  settle: async (_, end) => {
    let messageAt = 0;
    while (performance.now() < end) {
      const present = (await readRecord(type, owner, record.id)).record;
      if (present?.status !== 'pending') return true;
      if (performance.now() >= messageAt) {
        await setTimer(timerOf(present as T, now()), now());
        messageAt = performance.now() + messageMs;
      }
      await wait(checkMs);
    }
    return false;
  },
});
