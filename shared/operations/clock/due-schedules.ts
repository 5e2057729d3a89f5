/**
 * Makes the invoices of schedules that become due while a clock of test mode moves. The worker of schedules makes each of them, and the
 * worker of mails mails it. This code only makes it due now, and waits. So invoices, their numbers and mails have the order of their times.
 *
 * - A call can end between an invoice and its mail. So the next call waits for the mail of the newest invoice first.
 * - A mail waits for its document, or a worker is at it. Both take seconds, so a move waits for them that long at most. A mail that waits
 *   for the mail service or for a limit has the real time. So it never stops a schedule, and can go out after later ones.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { clockAt } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import { type AccountTime, now } from '../../base/time.ts';
import { readStepMail } from '../../domain/mails/automatic-mail-store.ts';
import type { InvoiceMail } from '../../domain/mails/mail.ts';
import { type StepReference, stepTimer } from '../../domain/mails/mail-timer.ts';
import { scheduleType } from '../../domain/schedules/record.ts';
import type { LastMade, Schedule } from '../../domain/schedules/schedule.ts';
import { scheduleTimer } from '../../domain/schedules/transitions.ts';
import { readRecord } from '../../store/records.ts';
import { followsWithinMs, settleChanges } from './due-deliveries.ts';
import { completeByWorker, repeatedMs } from './due-reminders.ts';

const checkMs = 100;

/** A time of a schedule that becomes due, or a mail before it, and what settles it. */
interface DueTime {
  readonly at: AccountTime;
  /** @param end when to stop, on the clock of `performance.now` */
  readonly settle: (clock: unknown, end: number) => Promise<boolean>;
  readonly causesMore: true;
}

/** The schedules of one call that advances a clock. */
export class DueSchedules {
  readonly #owner: Owner;
  readonly #mailed = new Set<string>();

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** Returns the next times of schedules, and before them the mails that the last call may have left. @param from when the clock is now */
  of(schedules: readonly (Schedule & { readonly nextAt: AccountTime })[], from: AccountTime): DueTime[] {
    return schedules.flatMap((schedule) => {
      const { last, nextAt } = schedule;
      const settle = (_: unknown, end: number) => this.#settleTime(schedule, end);
      const time: DueTime = { at: nextAt, settle, causesMore: true };
      return last && last.at >= from - repeatedMs && !this.#isMailSettled(last)
        ? [this.#mailOf(last), time]
        : [time];
    });
  }

  #mailOf(last: LastMade): DueTime {
    const settle = (_: unknown, end: number) => this.#settleMail(last, end);
    return { at: last.at, settle, causesMore: true };
  }

  /** Waits until a schedule that is due has made its invoice, everything has followed from it, and its mail is sent. */
  async #settleTime(schedule: Schedule, end: number): Promise<boolean> {
    if (!(await completeByWorker(scheduleTimer(schedule, now()), end))) return false;
    // It is not made during maintenance, for example.
    const { record } = await readRecord(scheduleType, this.#owner, schedule.id);
    if (record?.version === schedule.version) return false;
    if (!(await settleChanges(this.#owner, now(), end))) return false;
    return !record?.last || this.#settleMail(record.last, end);
  }

  #isMailSettled({ id, isMailed }: LastMade): boolean {
    return !isMailed || this.#mailed.has(id);
  }

  async #settleMail(last: LastMade, end: number): Promise<boolean> {
    if (this.#isMailSettled(last)) return true;
    const isDone = await settleMail({ ...this.#owner, invoiceId: last.id, kind: 'invoice' }, end);
    if (isDone) this.#mailed.add(last.id);
    return isDone;
  }
}

/** Lets the worker send a mail now, and waits until it has. Returns false if it has not in time. */
async function settleMail(step: StepReference, end: number): Promise<boolean> {
  while (performance.now() < end) {
    const mail = await readMailOf(step);
    if (mail && !isUnderWay(mail)) return true;
    if (mail?.state !== 'sending') {
      if (!(await completeByWorker(stepTimer(step, now()), end))) return false;
      // The account does not send such mails, or the invoice has no address.
      if (!(await readMailOf(step))) return true;
    }
    await wait(checkMs);
  }
  return false;
}

/** Reads the mail of a step, without its address if its record is not stored. Undefined: no worker has marked the step. */
const readMailOf = (step: StepReference): Promise<InvoiceMail | undefined> =>
  readStepMail(step, async () => '', clockAt(undefined, now()));

/** Whether a mail goes out within seconds, unless something fails. */
function isUnderWay({ state, reason, askedAt }: InvoiceMail): boolean {
  if (now() > askedAt + followsWithinMs) return false;
  return state === 'sending' || (state === 'queued' && (!reason || reason === 'no_document_yet'));
}
