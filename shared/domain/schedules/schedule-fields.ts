/** Declares what an erasure leaves of each shown field of a schedule. The invoice that it makes is deleted. */
import { type FieldErasures, keepValue, replaceWith } from '../../store/field-erasure.ts';
import type { ShownSchedule } from './schedule.ts';

export const scheduleErasures: FieldErasures<ShownSchedule> = {
  id: keepValue,
  status: keepValue,
  every: { n: keepValue, unit: keepValue },
  startOn: keepValue,
  day: keepValue,
  hour: keepValue,
  timeZone: keepValue,
  endOn: keepValue,
  count: keepValue,
  dueInDays: keepValue,
  late: keepValue,
  invoice: replaceWith(null),
  next: keepValue,
  nextAt: keepValue,
  made: keepValue,
  // The message is one of the service's own.
  failure: { code: keepValue, message: keepValue, at: keepValue },
  createdAt: keepValue,
  updatedAt: keepValue,
};
