/**
 * Turns days and times of forms, which have no time zone, into times of the API, and back. They are of the time zone of the account.
 * A text that is no day or time stays as it is, so the schema of the API refuses it.
 */
import { isPlainDate, parseDueDate } from '../../../base/due-date.ts';
import { type Instant, toTimestamp } from '../../../base/time.ts';
import { instantOf, timestampIn } from '../../../domain/accounts/fiscal-year.ts';
import { zoneOfDueDay } from '../../pages/dates.ts';
import type { ZoneContext } from '../times.ts';
import type { SentFields } from './form-fields.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The times that the API accepts. */
const earliest = 0;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** What the fields of the types `date` and `datetime-local` send. */
const sentTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/;

/** Returns the time of the API that a field means. @param bound what a day without a time means: its first or last millisecond */
export function toApiTime({ timeZone }: ZoneContext, text: string, bound: 'first' | 'last' = 'last'): string {
  const shown = sentTime.test(text) ? parseDueDate(text)?.instant : undefined;
  if (shown === undefined) return text;
  const at = isPlainDate(text) ? boundOfDay(timeZone, shown, bound) : instantOf(timeZone, shown);
  return toTimestamp(Math.min(Math.max(at, earliest), latest));
}

/** @param shown the last millisecond of the day in UTC */
const boundOfDay = (timeZone: string, shown: Instant, bound: 'first' | 'last'): Instant =>
  bound === 'first' ? instantOf(timeZone, shown + 1 - dayMs) : instantOf(timeZone, shown + 1) - 1;

/** Returns the fields of the form of an invoice with the due date of the API. */
export function inAccountZone(fields: SentFields, zone: ZoneContext): SentFields {
  return {
    get: (name) => {
      const sent = fields.get(name);
      return sent && name === 'dueDate' ? toApiTime(zone, sent.trim()) : sent;
    },
  };
}

/** Returns a time as the value of a field of the type `datetime-local`, up to the minute: more does not fit a phone. */
export const toDateTimeValue = ({ timeZone }: ZoneContext, at: Instant): string =>
  timestampIn(timeZone, at).slice(0, 16);

/** Returns a due date as the value of its field: a day if it is the end of one, or a day and a time. */
export function toDueValue({ timeZone }: ZoneContext, dueDate: string): string {
  const at = parseDueDate(dueDate)?.instant ?? 0;
  const zone = zoneOfDueDay(at, timeZone);
  return zone === undefined
    ? toDateTimeValue({ timeZone }, at)
    : toDateTimeValue({ timeZone: zone }, at).slice(0, 10);
}

/** Whether two due dates have the same value in a form. */
export const isSameDueValue = (
  zone: ZoneContext,
  one: string | null | undefined,
  other: string | null | undefined,
): boolean => (one && other ? toDueValue(zone, one) === toDueValue(zone, other) : one === other);
