/**
 * Makes the invoices of schedules that become due while a clock of test mode moves. The worker of schedules makes each of them, and mails
 * it. This code only makes it due now, and waits. So invoices, their numbers and mails have the order of their times.
 */
import { isRecordId, type Owner } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { stepTimer } from '../../domain/mails/mail-timer.ts';
import { fromOccurrenceItem, scheduleType } from '../../domain/schedules/record.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { scheduleTimer } from '../../domain/schedules/transitions.ts';
import { tableKeys } from '../../store/keys.ts';
import { readItem, readRecord } from '../../store/records.ts';
import { settleChanges } from './due-deliveries.ts';
import { completeByWorker } from './due-reminders.ts';

/**
 * Waits until a schedule that is due has made its invoice, everything has followed from it, and its mail is sent.
 * @param schedule as it was before
 * @param end when to stop, on the clock of `performance.now`
 * @returns false if it was not done in time
 */
export async function settleSchedule(owner: Owner, schedule: Schedule, end: number): Promise<boolean> {
  const { id, next, makes } = schedule;
  if (!(await completeByWorker(scheduleTimer(schedule, now()), end))) return false;
  // It is not made during maintenance, for example.
  const { record } = await readRecord(scheduleType, owner, id);
  if (record?.version === schedule.version) return false;
  if (!(await settleChanges(owner, now(), end))) return false;
  if (makes !== 'send') return true;
  const item = await readItem(tableKeys.occurrence(id, next));
  const { record: invoiceId = '' } = item ? fromOccurrenceItem(item) : {};
  if (!isRecordId('invoice', invoiceId)) return true;
  return completeByWorker(stepTimer({ ...owner, invoiceId, kind: 'invoice' }, now()), end);
}
