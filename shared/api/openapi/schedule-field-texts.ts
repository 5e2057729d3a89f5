/** Describes the fields of schedules, and shows examples. */
import { createdAt, cursor, type FieldTexts, pagination, readOnly, updatedAt } from './common-field-texts.ts';
import { draft, draftFieldTexts } from './draft-field-texts.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

/** The fields of a draft that the invoice of a schedule does not have. */
const notOfTemplate = [
  'id',
  'status',
  'reference',
  'dueDate',
  'computedAmount',
  'totals',
  'invoiceId',
  'scheduleId',
  'period',
  'createdAt',
  'updatedAt',
] as const;

function withoutFields<T extends object, Name extends keyof T>(
  value: T,
  names: readonly Name[],
): Omit<T, Name> {
  const left = Object.entries(value).filter(([name]) => !names.some((each) => each === name));
  return Object.fromEntries(left) as Omit<T, Name>;
}

const template: Example<'ScheduleInvoice'> = {
  ...withoutFields(draft, notOfTemplate),
  customerId: 'cust_5h0m3rz8v1k6xq2nwd9tj4c7be',
  description: 'Hosting for {month}',
};

const period = { start: '2027-03-31', end: '2027-04-29' };

export const scheduleExample: Example<'Schedule'> = {
  id: 'sch_4m7x1cz9k3v6tq0w8hr5dbj2ne',
  status: 'active',
  every: { n: 1, unit: 'month' },
  startOn: '2027-01-31',
  day: null,
  hour: 9,
  timeZone: 'Asia/Thimphu',
  endOn: null,
  count: 24,
  dueInDays: 14,
  mode: 'issue',
  late: 'all',
  invoice: template,
  next: 3,
  nextAt: '2027-03-31T03:00:00.000Z',
  made: 2,
  failure: null,
  createdAt: '2026-11-25T03:20:44.180Z',
  updatedAt: '2027-02-28T03:00:01.020Z',
};

/** The schedule of an event. */
export const scheduleOfEvent = {
  ...scheduleExample,
  invoice: null,
  status: 'paused' as const,
  nextAt: null,
};

const failure = {
  code: 'invalid_customer',
  message: 'The customer of the invoice is deleted. Name another customer.',
  at: scheduleExample.updatedAt,
} satisfies Example<'ScheduleFailure'>;

export const scheduleExamples = {
  template,
  failure,
  period: period satisfies Example<'InvoicePeriod'>,
  create: {
    every: { n: 1, unit: 'month' },
    startOn: '2027-01-31',
    timeZone: 'Asia/Thimphu',
    count: 24,
    dueInDays: 14,
    invoice: {
      customerId: invoice.customerId,
      amount: 250_000,
      currency: 'BTN',
      description: 'Hosting for {month}',
    },
  } satisfies Example<'CreateSchedule'>,
  occurrence: {
    number: 3,
    through: 3,
    status: 'made',
    reason: null,
    period,
    invoiceId: invoice.id,
    draftId: null,
    at: '2027-03-31T03:00:01.020Z',
  } satisfies Example<'ScheduleOccurrence'>,
  planned: {
    number: 3,
    at: '2027-03-31T03:00:00.000Z',
    period,
    dueDate: '2027-04-14T17:59:59.999Z',
    amount: 250_000,
    problem: null,
  } satisfies Example<'PlannedOccurrence'>,
};

const templateTexts = {
  ...withoutFields(draftFieldTexts.Draft, notOfTemplate),
  description:
    'What the invoice is for. `{period.start}`, `{period.end}` and `{month}` are replaced by the days and the month that the invoice is for, in the language of the invoice. So they are in the descriptions of lines.',
};
const number = 'The number of the time, from 1.';
const periodText = 'The days that the invoice is for: from the day of this time to the one before the next.';
const settings = {
  every: 'How often the schedule makes an invoice.',
  startOn: 'The day of the first invoice, and the first of the days that follow from it.',
  day: 'The day of the month, for a schedule of months or years. A shorter month has its last day instead. The default is the day of `startOn`.',
  hour: 'The hour of the day at which invoices are made, from 0 to 23. The default is 9.',
  timeZone:
    'The time zone of the days and the hour. The default is that of your account, or UTC without one.',
  endOn: 'The last day on which the schedule can make an invoice. Null: it has no such day.',
  count: 'The number of the last time, from 1 to 9999. Skipped times count. Null: there is no last time.',
  dueInDays:
    'The days until an invoice is due, at the end of that day. Null: as for an invoice without `dueDate`.',
  mode: 'What the schedule makes: `draft`, `issue` (an invoice), or `send` (an invoice that goes to its customer by email). The default is `issue`.',
  late: 'What the schedule makes of the times that it has missed, for example while it could not make its invoice: `all` in their order, or only the `newest`. The default is `all`.',
};

export const scheduleFieldTexts: Pick<
  FieldTexts,
  | 'Schedule'
  | 'ScheduleList'
  | 'ScheduleInterval'
  | 'ScheduleIntervalInput'
  | 'ScheduleInvoice'
  | 'ScheduleInvoiceInput'
  | 'ScheduleInvoiceUpdate'
  | 'ScheduleFailure'
  | 'CreateSchedule'
  | 'UpdateSchedule'
  | 'ScheduleOccurrence'
  | 'ScheduleOccurrenceList'
  | 'PlannedOccurrence'
  | 'SchedulePreview'
  | 'InvoicePeriod'
> = {
  Schedule: {
    ...settings,
    id: 'The ID of the schedule.',
    status:
      '`active`, `paused` while it makes nothing, or `ended`. A schedule that cannot make its invoice is `paused`, and `failure` says why.',
    day: 'The day of the month. Null: that of `startOn`.',
    hour: 'The hour of the day at which invoices are made.',
    timeZone: 'The time zone of the days and the hour.',
    mode: 'What the schedule makes: `draft`, `issue` or `send`.',
    late: 'What the schedule makes of the times that it has missed: `all` or the `newest`.',
    invoice:
      'The invoice that the schedule makes. Null in events, and after the data of its customer was erased.',
    next: 'The number of the next time, from 1. Null if the schedule has ended.',
    nextAt: 'When the next invoice is made. Null if the schedule is paused or has ended.',
    made: 'How many invoices or drafts the schedule has made.',
    failure: 'Why the schedule has stopped. Null if it has not.',
    createdAt,
    updatedAt,
  },
  ScheduleList: { data: 'The schedules, newest first.', pagination },
  ScheduleInterval: {
    n: 'The number of units between two invoices.',
    unit: '`day`, `week`, `month` or `year`.',
  },
  ScheduleIntervalInput: {
    n: 'The number of units between two invoices, from 1 to 999.',
    unit: '`day`, `week`, `month` or `year`.',
  },
  ScheduleInvoice: templateTexts,
  ScheduleInvoiceInput: templateTexts,
  ScheduleInvoiceUpdate: templateTexts,
  ScheduleFailure: {
    code: 'The error code that a request to create the invoice gets, or `account_closed`.',
    message: 'What is wrong, and what to do.',
    at: 'When the schedule stopped.',
  },
  CreateSchedule: {
    ...settings,
    invoice: 'The invoice to make, with the fields of a new invoice but `reference`, `dueDate` and `send`.',
  },
  UpdateSchedule: {
    ...settings,
    id: readOnly,
    status:
      '`paused` pauses the schedule, `active` resumes it, and `ended` ends it for good. What passes during a pause is skipped. What was due before the pause, and not made yet, is made when you resume the schedule. A schedule that has stopped by itself goes on with the invoice that it could not make.',
    every: readOnly,
    startOn: readOnly,
    day: readOnly,
    invoice: 'The fields of the invoice to change. Null removes a field. They hold from the next invoice on.',
    next: readOnly,
    nextAt: readOnly,
    made: readOnly,
    failure: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  },
  ScheduleOccurrence: {
    number,
    through: 'The number of the last time, if several were skipped together. Otherwise the same number.',
    status: '`made` or `skipped`.',
    reason:
      'Why it was skipped: a `request` skipped it, it passed while the schedule was `paused`, or it was `late` with a newer one. Null if it was made.',
    period: periodText,
    invoiceId: 'The ID of the invoice that was made. Null if none was.',
    draftId: 'The ID of the draft that was made. Null if none was.',
    at: 'When it was made or skipped.',
  },
  ScheduleOccurrenceList: { data: 'What came of the times, newest first.', cursor },
  PlannedOccurrence: {
    number,
    at: 'When the invoice is made.',
    period: periodText,
    dueDate: 'When the invoice is due. Null if it cannot be made as it is.',
    amount:
      'What the invoice charges, at the tax rates that are known for its day. Null if it cannot be made as it is.',
    problem: 'Why the invoice cannot be made as it is. Null if it can.',
  },
  SchedulePreview: { data: 'The next 12 times, the first one first.' },
  InvoicePeriod: { start: 'The first day.', end: 'The last day.' },
};
