/** Makes the schema of the days of reminders in requests. */
import * as v from 'valibot';
import { areReminderDays, firstReminderDay, lastReminderDay, maxReminders } from './reminder-plan.ts';

/** Returns the schema of a list of days from the due date. @param field names the list in messages */
export function createReminderDaysSchema(field: string) {
  const message = `${field} must be a list of at most ${maxReminders} different days from the due date, each a whole number from ${firstReminderDay} to ${lastReminderDay}.`;
  const day = v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(firstReminderDay, message),
    v.maxValue(lastReminderDay, message),
  );
  return v.pipe(
    v.array(day, message),
    v.maxLength(maxReminders, message),
    v.check<number[], string>(areReminderDays, message),
  );
}
