/** The English texts of the money on the overview. */
import type { Ages } from '../../../domain/journal/summary.ts';

const ageNames: Readonly<Record<keyof Ages, string>> = {
  notDue: 'Not due',
  days1To30: '1–30 days',
  days31To60: '31–60 days',
  days61To90: '61–90 days',
  older: 'Older',
};

export const moneyTexts = {
  heading: (currency: string) => `Money in ${currency}`,
  receivedNow: 'Received this month so far',
  receivedBefore: 'The month before',
  outstanding: 'Outstanding',
  overdue: 'Overdue',
  months: 'The last twelve months',
  monthsOf: (currency: string) => `Received and invoiced in the last twelve months, in ${currency}`,
  month: 'Month',
  days: 'The last 90 days, by day',
  daysTitle: (currency: string) => `Received in the last 90 days, in ${currency}`,
  day: 'Day',
  /** A day or month that has not ended. */
  soFar: (period: string) => `${period}, so far`,
  dayNotOver: 'The last day is not over yet.',
  monthNotOver: 'The last month is not over yet.',
  noDays: 'Nothing has happened in this currency.',
  back: 'Overview',
  received: 'Received',
  refunded: 'Refunded',
  fees: 'Fees',
  invoiced: 'Invoiced',
  cancelled: 'Cancelled',
  ages: 'Outstanding by age',
  agesOf: (currency: string) => `Outstanding by age, in ${currency}`,
  age: 'Days after the due date',
  ageNames,
  table: 'Show as a table',
  note: (today: string, timeZone: string) => `As of ${today}. Days are those of ${timeZone}.`,
} as const;
