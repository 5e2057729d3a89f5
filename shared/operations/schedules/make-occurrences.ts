/**
 * Makes the invoices of schedules that are due. The worker of due dates calls it.
 *
 * - One transaction writes the invoice, the schedule with its next time, and the item that says what came of this time. So no time makes
 *   two invoices, also if several workers run, and none is lost: until the transaction is written, the schedule is due.
 * - The outbox item of the transaction has the next timer. A timer is completed only when nothing is due, so a crash at any point leaves
 *   a timer that leads here again.
 * - What the schedule cannot make stops it, and the schedule says why. A failure of the service is tried again.
 */
import { type Clock, clockAt } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import { type Resource, recordId } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import type { RealTime } from '../../base/time.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import type { Draft } from '../../domain/drafts/draft.ts';
import { draftType } from '../../domain/drafts/record.ts';
import { createDraft } from '../../domain/drafts/transitions.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { invoiceType } from '../../domain/invoices/record.ts';
import { newInvoiceTimer } from '../../domain/mails/mail-timer.ts';
import { dueNumber, isDue } from '../../domain/schedules/pauses.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import {
  type LoadedSchedule,
  readSchedule,
  reserveOccurrence,
} from '../../domain/schedules/schedule-store.ts';
import { failSchedule, makeTime } from '../../domain/schedules/transitions.ts';
import { readStoredClock } from '../../store/account-clock.ts';
import { readSellerSummary } from '../../store/account-seller-store.ts';
import type { Principal } from '../../store/account-state.ts';
import { type Change, Command, type Reservation, requireNew } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import type { NumberedRecord, NumberedType } from '../../store/records.ts';
import { allocateSequenceNumberIfOpen } from '../../store/sequence-numbers.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer } from '../../store/timers/timers.ts';
import { contentOf, prepareScheduled, requireMail, scheduledBy } from './prepare-occurrence.ts';

/** How many invoices of a schedule one message makes. The next message goes on. */
export const maxAtOnce = 24;

/** Handles the timer of a schedule: makes all invoices that are due, and completes the timer. */
export async function makeDueInvoices(timer: TimerMessage, now: RealTime): Promise<void> {
  for (let made = 0; made < maxAtOnce; made++) {
    const loaded = await readSchedule(undefined, timer.reference);
    const { owner, record } = loaded;
    if (!record) break;
    const stored = owner.mode === 'test' ? await readStoredClock(owner) : undefined;
    const clock = clockAt(stored, now);
    if (!isDue(record, clock.account)) {
      // Another clock is ahead of this one. The timer arrives again.
      if (record.nextAt !== undefined && timer.due > now) return;
      break;
    }
    const isLast = made === maxAtOnce - 1;
    if ((await makeNext({ ...loaded, record }, clock, isLast)) === 'later') return;
  }
  await completeTimer(timer);
}

type Due = LoadedSchedule & { readonly record: Schedule };

/** The schedule has changed after its invoice was prepared. */
class Overtaken extends Error {}

/** Makes the next invoice of a schedule that is due, or stops the schedule. @returns `later` during maintenance */
async function makeNext(due: Due, clock: Clock, isLast: boolean): Promise<'done' | 'later'> {
  const { owner, record } = due;
  const resource: Resource = record.makes === 'draft' ? 'draft' : 'invoice';
  const [allocated, seller] = await Promise.all([
    allocateSequenceNumberIfOpen(owner, resource),
    readSellerSummary(owner),
  ]);
  if (!allocated) return refuse(due, clock);
  try {
    const principal = { ...allocated, seller };
    const make = <T extends NumberedRecord>(prepared: Prepared<T>) =>
      commitInBackground(toCommand(due, prepared, clock, isLast), clock);
    if (record.makes === 'draft') await make(await prepareDraft(principal, due, clock));
    else await make(await prepareIssued(principal, due, clock));
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'internal_error') await stop(due, error, clock);
    else if (!(error instanceof Overtaken)) throw error;
  }
  return 'done';
}

/** Handles a schedule whose account accepts nothing new: it is closed, or in maintenance. */
async function refuse(due: Due, clock: Clock): Promise<'done' | 'later'> {
  const account = await readAccount(due.owner.account);
  if (account && account.closedAt === undefined) return 'later';
  await stop(due, { code: 'account_closed', message: 'The account is closed.' }, clock);
  return 'done';
}

/** What a schedule makes: the creation of an invoice or draft. */
interface Prepared<T extends NumberedRecord> {
  readonly type: NumberedType<T>;
  readonly change: Change<T>;
  readonly reserves: readonly Reservation[];
  readonly timers: readonly Timer[];
}

/** Returns the time that is due, and the invoice of the schedule. @throws Error if the invoice is missing */
function timeOf({ record, template }: Due, clock: Clock) {
  if (!template) throw new Error(`The invoice of ${record.id} is missing.`);
  return { template, time: { number: dueNumber(record, clock.account), at: clock.account } };
}

/** Prepares a draft. It is checked as an invoice, so that a schedule that makes drafts stops for the same reasons. */
async function prepareDraft(principal: Principal, due: Due, clock: Clock): Promise<Prepared<Draft>> {
  const { record } = due;
  const { template, time } = timeOf(due, clock);
  await prepareScheduled(principal, record, template, time);
  const { owner, idKeys, seq } = principal;
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'draft' }, seq);
  const change = createDraft({ ...owner, id, seq }, {}, clock.account, scheduledBy(record, time));
  const draft = { ...change.record, ...contentOf(record, template, time) };
  return { type: draftType, change: { ...change, record: draft }, reserves: [], timers: [] };
}

/** Prepares an invoice, with the timer of its mail if the schedule sends it. */
async function prepareIssued(principal: Principal, due: Due, clock: Clock): Promise<Prepared<Invoice>> {
  const { record } = due;
  const { template, time } = timeOf(due, clock);
  const { body, creation } = await prepareScheduled(principal, record, template, time);
  const { change, reserves } = creation;
  const isSent = record.makes === 'send';
  if (isSent) await requireMail(principal.owner, body, await readAccount(principal.owner.account));
  const timers = isSent ? [newInvoiceTimer(change.record, clock.account)] : [];
  return { type: invoiceType, change, reserves, timers };
}

function toCommand<T extends NumberedRecord>(
  { owner, id, type, record: read }: Due,
  { type: madeType, change, reserves, timers }: Prepared<T>,
  clock: Clock,
  isLast: boolean,
): Command<[Schedule, T], undefined> {
  const made = change.record.id;
  return new Command<[Schedule, T], undefined>(
    [
      { type, owner, id, record: read },
      { type: madeType, owner, id: made, record: undefined },
    ],
    (schedule, existing) => {
      requireNew(existing);
      if (schedule?.version !== read.version) throw new Overtaken();
      const number = dueNumber(schedule, clock.account);
      const next = makeTime(schedule, number, made, clock.account, isLast);
      return {
        changes: [next.change, change],
        answer: undefined,
        reserves: [...next.occurrences.map((each) => reserveOccurrence(owner, id, each)), ...reserves],
        timers,
      };
    },
  );
}

/** Stops a schedule, unless another change was faster. */
async function stop(
  { owner, id, type, record: read }: Due,
  { code, message }: { readonly code: string; readonly message: string },
  clock: Clock,
): Promise<void> {
  logger.info('schedule stopped', { schedule: id, account: owner.account, code });
  const command = new Command<[Schedule], undefined>([{ type, owner, id, record: read }], (schedule) => {
    const isSame = schedule?.version === read.version;
    return {
      changes: [isSame ? failSchedule(schedule, { code, message }, clock.account) : undefined],
      answer: undefined,
    };
  });
  await commitInBackground(command, clock);
}
