/** The English texts of the pages of schedules. */
import type { Occurrence, Schedule, ShownSchedule } from '../../../domain/schedules/schedule.ts';

type IntervalUnit = Schedule['every']['unit'];

const number = (count: number) => count.toLocaleString('en-US');

/** How often a schedule makes an invoice. */
export function everyText({ n, unit }: Schedule['every']): string {
  return n === 1 ? `Every ${unit}` : `Every ${number(n)} ${unit}s`;
}

export const scheduleTexts = {
  title: 'Schedules',
  one: 'Schedule',
  create: 'Create schedule',
  empty:
    'No schedules yet. A schedule makes the same invoice again and again, for example every month. To repeat an invoice that exists, open it and press “Make it repeat”.',
  table: 'Schedules, newest first',
  repeats: 'Repeats',
  nextTime: 'Next',
  lastMade: 'Last made',
  nothingMade: 'None yet',
  none: 'None',
  when: 'When',
  what: 'Invoice',
  invoiceHint: 'Each time makes an invoice like this one.',
  descriptionHint:
    'Customers see it on the payment page. {month}, {period.start} and {period.end} stand for the days that each invoice is for, also in lines.',
  firstDay: 'First day',
  lastDay: 'Last day',
  hourIn: (hour: string, timeZone: string) => `${hour} in ${timeZone}`,
  day: (day: number) => (day > 28 ? `Day ${day}, or the last one of a shorter month` : `Day ${day}`),
  invoicesIn: (count: number) => `After ${number(count)} ${count === 1 ? 'time' : 'times'}`,
  dueIn: (days: number) => `In ${number(days)} ${days === 1 ? 'day' : 'days'}`,
  dueAsAccount: 'As the account says',
  made: 'Invoices made',
  planned: 'Next times',
  notPossible: 'Not possible',
  plannedTable: 'The next 12 times',
  nothingPlanned: {
    active: 'There is no next time.',
    paused: 'The schedule is paused. Resumed now, it would go on with these times.',
    ended: 'The schedule has ended, so it makes nothing more.',
  },
  history: 'What it has made',
  historyTable: 'Times of the schedule, newest first',
  nothingHappened: 'No time has come yet.',
  number: 'No.',
  at: 'Time',
  period: 'Period',
  result: 'Result',
  through: (first: number, last: number) =>
    first === last ? number(first) : `${number(first)} to ${number(last)}`,
  days: (first: string, last: string) => `${first} – ${last}`,
  stopped: 'The schedule has stopped, because it could not make its next invoice:',
  stoppedHint: 'Correct what is wrong, then resume it. It goes on with the invoice that it could not make.',
  erased: 'The personal data of this schedule is erased, also its invoice.',
  edit: 'Edit',
  editTitle: 'Edit schedule',
  editHint:
    'Changes hold from the next time on. What repeats when cannot change: end the schedule, and create another one.',
  save: 'Save changes',
  pause: 'Pause',
  resume: 'Resume',
  skip: 'Skip the next time',
  run: 'Make the next invoice now',
  end: 'End schedule',
  endTitle: 'End this schedule?',
  endHint: 'A schedule that has ended makes nothing more, for good. What it has made stays.',
  keep: 'Keep the schedule',
  back: 'Back to the schedule',
  pages: { title: 'Pages of the history', newest: 'Newest', older: 'Older' },
  changed:
    'The schedule changed after you opened this page. Nothing was done. Check what it says now, then do it again.',
  changedForm:
    'The schedule changed after you opened this form. Nothing was saved. Compare your values with the schedule, then save again.',
} as const;

export const scheduleStatusTexts: Readonly<Record<ShownSchedule['status'] | 'stopped', string>> = {
  active: 'Active',
  paused: 'Paused',
  stopped: 'Stopped',
  ended: 'Ended',
};

export const skipReasonTexts: Readonly<Record<NonNullable<Occurrence['reason']>, string>> = {
  request: 'Skipped on request',
  paused: 'Skipped: it was paused',
  late: 'Skipped: a newer one was late, too',
};

const unitChoices: readonly (readonly [IntervalUnit, string])[] = [
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'Months'],
  ['year', 'Years'],
];

/** Returns an hour as clocks show it. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** The fields of the forms, by the names of the API. A `message` replaces that of the API, which names its own fields. */
export const scheduleFields = {
  every: {
    label: 'Every',
    message: 'Every must be a whole number from 1 to 999.',
  },
  unit: { label: 'Unit', choices: unitChoices, message: 'Unit must be one of the list.' },
  startOn: {
    label: 'First day',
    hint: 'The first invoice is made on this day.',
    message: 'First day must be a day that exists, and its hour must not have passed. Choose a later day.',
  },
  day: {
    label: 'Day of the month',
    hint: 'Optional. For months and years: 31 is the last day of shorter months, too. Without it, the first day decides.',
    message:
      'Day of the month must be a whole number from 1 to 31, for months or years, and not before the first day.',
  },
  hour: {
    label: 'Hour',
    choices: Array.from({ length: 24 }, (_, hour) => [String(hour), hourText(hour)] as const),
    message: 'Hour must be one of the list.',
  },
  timeZone: {
    label: 'Time zone',
    hint: 'Its clocks decide the day and the hour.',
    message: 'Time zone must be the name of a time zone, such as Asia/Thimphu.',
  },
  endOn: {
    label: 'Last day',
    hint: 'Optional. No invoice is made after this day.',
    message: 'Last day must be a day that exists, and not before the first day.',
  },
  count: {
    label: 'Number of times',
    hint: 'Optional, instead of a last day.',
    message: 'Number of times must be a whole number from 1 to 9,999, without a last day beside it.',
  },
  dueInDays: {
    label: 'Due in days',
    hint: 'Optional. Days after the invoice is made. Without it, the account decides.',
    message: 'Due in days must be a whole number from 0 to 365.',
  },
  mode: {
    label: 'Each time',
    choices: [
      ['issue', 'Create the invoice'],
      ['send', 'Create the invoice, and send it by mail'],
      ['draft', 'Create a draft, which you finalize'],
    ],
    message: 'Each time must be one of the list.',
  },
  late: {
    label: 'If times were missed',
    choices: [
      ['all', 'Make all of their invoices'],
      ['newest', 'Make only the newest'],
    ],
    message: 'If times were missed must be one of the list.',
  },
} as const;

/** Returns the text of a choice. */
export const choiceText = (choices: readonly (readonly [string, string])[], value: string): string =>
  choices.find(([each]) => each === value)?.[1] ?? value;
