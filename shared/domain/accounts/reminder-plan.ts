/** Defines the plan of reminders of an account: on which days from the due date, at which hour, and on which days of the week not. */
import type { AccountSettings } from './account.ts';

/** The days of the week, as `Date` numbers them. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export type Weekday = (typeof weekdays)[number];

/** More reminders of one invoice nobody wants. */
export const maxReminders = 8;
/** The first day of a reminder, from the due date. */
export const firstReminderDay = -60;
/** The last day of a reminder, from the due date. */
export const lastReminderDay = 365;
/** The hour of the day, if the account has not set one. */
export const defaultReminderHour = 9;

export interface ReminderPlan {
  /** Days from the due date, ascending. */
  readonly days: readonly number[];
  /** From 0 to 23, on the clocks of the time zone. */
  readonly hour: number;
  /** A reminder of such a day goes out on the next other day. */
  readonly daysOff: readonly Weekday[];
  /** An IANA name. */
  readonly timeZone: string;
}

type PlanSettings = Pick<AccountSettings, 'mailReminders' | 'mailReminderHour' | 'mailDaysOff' | 'timeZone'>;

/** Returns the plan of an account. Undefined: it sends no reminders. */
export function reminderPlanOf(settings: PlanSettings): ReminderPlan | undefined {
  const days = parseReminderDays(settings.mailReminders ?? '');
  if (!days || days.length === 0) return undefined;
  return {
    days,
    hour: settings.mailReminderHour ?? defaultReminderHour,
    daysOff: parseDaysOff(settings.mailDaysOff ?? '') ?? [],
    timeZone: settings.timeZone ?? 'UTC',
  };
}

/** Returns the plan of an invoice: that of its account, with days of its own if it has any. No days pause its reminders. */
export const planOfInvoice = (
  plan: ReminderPlan,
  { reminders }: { readonly reminders?: readonly number[] | undefined },
): ReminderPlan => (reminders ? { ...plan, days: reminders } : plan);

/**
 * Reads days from the due date, such as `-3, 0, 3, 14`. Ascending, each once.
 * @returns undefined if the text is not such a list
 */
export function parseReminderDays(text: string): readonly number[] | undefined {
  const parts = partsOf(text);
  const days = parts.map((part) => (/^[+-]?\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  return areReminderDays(days) ? sortedDays(days) : undefined;
}

/** Whether numbers can be the days of a plan: at most 8 different whole numbers from -60 to 365. */
export const areReminderDays = (days: readonly number[]): boolean =>
  days.length <= maxReminders &&
  new Set(days).size === days.length &&
  days.every((day) => Number.isInteger(day) && day >= firstReminderDay && day <= lastReminderDay);

/** Returns days in their order. */
export const sortedDays = (days: readonly number[]): readonly number[] =>
  // No day is -0, which is another number than 0 in a text.
  [...days].map((day) => day + 0).sort((one, other) => one - other);

/**
 * Reads days of the week, such as `saturday, sunday`.
 * @returns undefined if the text is not such a list, or if it has all seven
 */
export function parseDaysOff(text: string): readonly Weekday[] | undefined {
  const parts = partsOf(text.toLowerCase());
  return areDaysOff(parts) ? weekdays.filter((day) => parts.includes(day)) : undefined;
}

/** Whether texts can be the days off of a plan: at most six different days of the week. */
export const areDaysOff = (days: readonly string[]): boolean =>
  days.length < weekdays.length &&
  new Set(days).size === days.length &&
  days.every((day) => weekdays.some((each) => each === day));

/** Returns the days of a plan as the account stores them. Null: none. */
export const formatReminderDays = (days: readonly number[]): string | null =>
  sortedDays(days).join(', ') || null;

/** Returns days off as the account stores them. Null: none. */
export const formatDaysOff = (days: readonly Weekday[]): string | null =>
  weekdays.filter((day) => days.includes(day)).join(', ') || null;

const partsOf = (text: string): string[] =>
  text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
