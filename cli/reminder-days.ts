/** Reads the days of reminders of an invoice from the options of a command. */
import { type OptionSpec, type ParsedOptions, usageError } from './command.ts';

export const remindersOption: Readonly<Record<string, OptionSpec>> = {
  reminders: {
    value: 'DAYS',
    about:
      'Days of reminders by email, from the due date, such as -3,0,7. "none" pauses them, "account" takes those of the account.',
  },
};

/** @throws CommandError (usage) if a day is no whole number */
export function readReminders(options: ParsedOptions): { reminders?: number[] | null } {
  const text = options.optional('reminders');
  if (text === undefined) return {};
  if (text === 'none' || text === 'account') return { reminders: text === 'none' ? [] : null };
  const days = text.split(',').map((day) => (/^\s*[+-]?\d+\s*$/.test(day) ? Number(day) : Number.NaN));
  if (days.some(Number.isNaN))
    throw usageError('--reminders must be days such as -3,0,7, or none, or account.');
  return { reminders: days };
}
