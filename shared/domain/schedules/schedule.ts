/**
 * Defines the schedule: it makes an invoice at each of its times. Defines its fields, and the schemas of the requests and responses of
 * its endpoints. `recurrence.ts` computes the times.
 */
import * as v from 'valibot';
import { isDay } from '../../base/due-date.ts';
import { idPatternOf } from '../../base/ids.ts';
import { metadataUpdateSchema, newMetadataSchema, showMetadata } from '../../base/metadata.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { isTimeZone } from '../accounts/account.ts';
import { type DraftContent, draftFields, draftSchema } from '../drafts/draft.ts';
import { invoicePeriodSchema } from '../invoices/invoice.ts';
import { intervalUnits, periodOfTime, type Recurrence, type RecurrenceEnd } from './recurrence.ts';

/** What a schedule makes at each of its times: a draft, an invoice, or an invoice that goes to its customer by mail. */
export const scheduleModes = ['draft', 'issue', 'send'] as const;
/** What a schedule makes of the times that it has missed: all of them in their order, or only the newest. */
export const lateRules = ['all', 'newest'] as const;

/** Why a schedule has stopped by itself. */
export interface ScheduleFailure {
  /** An error code of the API, or `account_closed`. */
  readonly code: string;
  readonly message: string;
  readonly at: AccountTime;
}

/** The newest invoice or draft that a schedule has made. */
export interface LastMade {
  readonly id: string;
  readonly at: AccountTime;
  /** It goes to its customer by mail. */
  readonly isMailed?: true | undefined;
}

/** Several times of a schedule, by the numbers of the first and the last. */
export interface TimeRange {
  readonly number: number;
  readonly through: number;
}

/** The schedule as the service stores it. The invoice that it makes is beside it, see `record.ts`. */
export interface Schedule extends NumberedRecord<'schedule'>, Recurrence, RecurrenceEnd {
  readonly dueInDays?: number | undefined;
  readonly makes: (typeof scheduleModes)[number];
  readonly late: (typeof lateRules)[number];
  /** The number of the first time that the pause can skip. Undefined: it is not paused, or has stopped by itself and skips nothing. */
  readonly pausedFrom?: number | undefined;
  /** Times after the next one that pauses have skipped, in order. Undefined: none. */
  readonly skips?: readonly TimeRange[] | undefined;
  readonly failure?: ScheduleFailure | undefined;
  /** The number of the next time, from 1. */
  readonly next: number;
  /** When it makes the next invoice. Undefined: it is paused and makes nothing until somebody resumes it, or it has ended. */
  readonly nextAt?: AccountTime | undefined;
  /** How many invoices it has made. */
  readonly made: number;
  /** The newest of them. Only lists of the dashboard show it. */
  readonly last?: LastMade | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

/** The invoice that a schedule makes: the fields of a draft. The schedule sets the due date. */
export interface ScheduleTemplate {
  readonly content: DraftContent;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
}

/** What came of a time of a schedule, or of several times that it has skipped together. */
export interface Occurrence extends TimeRange {
  readonly status: 'made' | 'skipped';
  /** Why it was skipped. */
  readonly reason?: (typeof skipReasons)[number] | undefined;
  /** The id of the invoice or draft that it made. */
  readonly record?: string | undefined;
  readonly at: AccountTime;
}

/** A request skipped it, it passed while the schedule was paused, or a newer one was late, too. */
export const skipReasons = ['request', 'paused', 'late'] as const;

const maxEvery = 999;
const maxCount = 9999;
const maxDueInDays = 365;
const everyMessage = `every must be an object with n from 1 to ${maxEvery} and unit ${intervalUnits.join(', ')}, such as {"n": 1, "unit": "month"}.`;
const startOnMessage = 'startOn must be a day that exists, such as 2027-01-31.';
const endOnMessage = 'endOn must be a day that exists, such as 2027-12-31.';
const dayMessage = 'day must be an integer from 1 to 31, for a schedule of months or years.';
const hourMessage = 'hour must be an integer from 0 to 23.';
const timeZoneMessage = 'timeZone must be the IANA name of a time zone, such as Asia/Thimphu.';
const countMessage = `count must be an integer from 1 to ${maxCount}.`;
const dueInDaysMessage = `dueInDays must be an integer from 0 to ${maxDueInDays}.`;
const modeMessage = `mode must be one of ${scheduleModes.join(', ')}.`;
const lateMessage = `late must be one of ${lateRules.join(', ')}.`;
const statuses = ['active', 'paused', 'ended'] as const;
const statusMessage = `status must be one of ${statuses.join(', ')}.`;
const invoiceMessage = 'invoice must be an object with the fields of a new invoice.';
const beforeMessage =
  'before must be a number of a time of the schedule. Leave it out to begin with the newest.';

const whole = (message: string, least: number, most: number) =>
  v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
const plainDay = (message: string) =>
  v.pipe(
    v.string(message),
    v.check((text) => isDay(text), message),
  );

/** How often a schedule makes an invoice. */
export const intervalSchema = v.strictObject(
  { n: whole(everyMessage, 1, maxEvery), unit: v.picklist(intervalUnits, everyMessage) },
  everyMessage,
);

// The schedule sets the due date, and no two invoices have the same reference.
const { reference: _, dueDate: __, ...templateFields } = draftFields;

/** The invoice of a new schedule. */
export const newTemplateSchema = v.strictObject(
  { ...templateFields, metadata: v.nullish(newMetadataSchema) },
  invoiceMessage,
);
/** The fields of the invoice of a schedule that change. Null removes a field. */
export const templateUpdateSchema = v.strictObject(
  { ...templateFields, metadata: v.nullish(metadataUpdateSchema) },
  invoiceMessage,
);

const settings = {
  hour: whole(hourMessage, 0, 23),
  timeZone: v.pipe(v.string(timeZoneMessage), v.check(isTimeZone, timeZoneMessage)),
  endOn: v.nullish(plainDay(endOnMessage)),
  count: v.nullish(whole(countMessage, 1, maxCount)),
  dueInDays: v.nullish(whole(dueInDaysMessage, 0, maxDueInDays)),
  mode: v.picklist(scheduleModes, modeMessage),
  late: v.picklist(lateRules, lateMessage),
};

export const createScheduleBody = /* @__PURE__ */ v.strictObject({
  every: intervalSchema,
  startOn: plainDay(startOnMessage),
  day: v.nullish(whole(dayMessage, 1, 31)),
  ...settings,
  hour: v.nullish(settings.hour),
  timeZone: v.nullish(settings.timeZone),
  mode: v.nullish(settings.mode),
  late: v.nullish(settings.late),
  invoice: newTemplateSchema,
});

/** Absent fields do not change. A client can send back a schedule that it received. */
export const updateScheduleBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  status: v.optional(v.picklist(statuses, statusMessage)),
  every: v.optional(v.unknown()),
  startOn: v.optional(v.unknown()),
  day: v.optional(v.unknown()),
  ...settings,
  hour: v.optional(settings.hour),
  timeZone: v.optional(settings.timeZone),
  mode: v.optional(settings.mode),
  late: v.optional(settings.late),
  invoice: v.optional(templateUpdateSchema),
  next: v.optional(v.unknown()),
  nextAt: v.optional(v.unknown()),
  made: v.optional(v.unknown()),
  failure: v.optional(v.unknown()),
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
});

export const listSchedulesQuery = /* @__PURE__ */ v.strictObject(paginationQuery);

export const listOccurrencesQuery = /* @__PURE__ */ v.strictObject({
  limit: paginationQuery.limit,
  before: v.optional(
    v.pipe(v.string(beforeMessage), v.regex(/^\d{1,15}$/, beforeMessage), v.transform(Number)),
  ),
});

export type CreateSchedule = v.InferOutput<typeof createScheduleBody>;
export type UpdateSchedule = v.InferOutput<typeof updateScheduleBody>;
export type ListOccurrences = v.InferOutput<typeof listOccurrencesQuery>;

const scheduleId = v.pipe(v.string(), v.regex(idPatternOf('schedule')));
const shownDay = v.string();
const number = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** The invoice that a schedule makes, in responses. */
export const templateSchema = v.omit(draftSchema, [
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
]);

/** Why a schedule has stopped, in responses. */
export const scheduleFailureSchema = v.strictObject({
  code: v.string(),
  message: v.string(),
  at: timestampSchema,
});

/** How often a schedule makes an invoice, in responses. */
export const shownIntervalSchema = v.strictObject({ n: number, unit: v.picklist(intervalUnits) });

/** The schedule in responses. It always has all of these fields. */
export const scheduleSchema = v.strictObject({
  id: scheduleId,
  status: v.picklist(statuses),
  every: shownIntervalSchema,
  startOn: shownDay,
  day: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  hour: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  timeZone: v.string(),
  endOn: v.nullable(shownDay),
  count: v.nullable(number),
  dueInDays: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  mode: v.picklist(scheduleModes),
  late: v.picklist(lateRules),
  invoice: v.nullable(templateSchema),
  next: v.nullable(number),
  nextAt: v.nullable(timestampSchema),
  made: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  failure: v.nullable(scheduleFailureSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** A time of a schedule that has passed, in responses. */
export const occurrenceSchema = v.strictObject({
  number,
  through: number,
  status: v.picklist(['made', 'skipped']),
  reason: v.nullable(v.picklist(skipReasons)),
  period: invoicePeriodSchema,
  invoiceId: v.nullable(v.string()),
  draftId: v.nullable(v.string()),
  at: timestampSchema,
});

export const occurrenceListSchema = /* @__PURE__ */ v.strictObject({
  data: /* @__PURE__ */ v.array(occurrenceSchema),
  cursor: cursorSchema,
});

/** A future time of a schedule, in responses. */
export const plannedOccurrenceSchema = v.strictObject({
  number,
  at: timestampSchema,
  period: invoicePeriodSchema,
  dueDate: v.nullable(v.string()),
  amount: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  problem: v.nullable(v.string()),
});

export const schedulePreviewSchema = /* @__PURE__ */ v.strictObject({
  data: /* @__PURE__ */ v.array(plannedOccurrenceSchema),
});

export type ShownSchedule = v.InferOutput<typeof scheduleSchema>;
export type ShownOccurrence = v.InferOutput<typeof occurrenceSchema>;
export type PlannedOccurrence = v.InferOutput<typeof plannedOccurrenceSchema>;

/** Whether a schedule makes nothing until somebody resumes it. An active one always has a next time. */
export const isPaused = ({ status, nextAt }: Pick<Schedule, 'status' | 'nextAt'>): boolean =>
  status === 'open' && nextAt === undefined;

/** Returns the status of a schedule, as the API shows it. */
export function statusOf(schedule: Pick<Schedule, 'status' | 'nextAt'>): ShownSchedule['status'] {
  if (schedule.status === 'ended') return 'ended';
  return isPaused(schedule) ? 'paused' : 'active';
}

/** Returns the schedule as events show it: without its invoice, which has personal data. */
export function showWithoutInvoice(schedule: Schedule): ShownSchedule {
  const { id, every, startOn, day, hour, timeZone, endOn, count, dueInDays } = schedule;
  const { makes, late, next, nextAt, made, failure } = schedule;
  const status = statusOf(schedule);
  return {
    id,
    status,
    every: { n: every.n, unit: every.unit },
    startOn,
    day: day ?? null,
    hour,
    timeZone,
    endOn: endOn ?? null,
    count: count ?? null,
    dueInDays: dueInDays ?? null,
    mode: makes,
    late,
    invoice: null,
    next: status === 'ended' ? null : next,
    nextAt: nextAt === undefined ? null : toTimestamp(nextAt),
    made,
    failure: failure ? { code: failure.code, message: failure.message, at: toTimestamp(failure.at) } : null,
    createdAt: toTimestamp(schedule.createdAt),
    updatedAt: toTimestamp(schedule.updatedAt),
  };
}

/** Returns the schedule as the API shows it. @param template undefined: an erasure has removed it */
export const showSchedule = (schedule: Schedule, template: ScheduleTemplate | undefined): ShownSchedule => ({
  ...showWithoutInvoice(schedule),
  invoice: template ? showTemplate(template) : null,
});

/** Returns the invoice of a schedule as the API shows it. */
export function showTemplate({ content, metadata }: ScheduleTemplate): NonNullable<ShownSchedule['invoice']> {
  const { reference: _, dueDate: __, buyer, reminders, ...others } = content;
  return {
    ...others,
    buyer: buyer && { ...buyer, taxIds: [...buyer.taxIds] },
    reminders: reminders && [...reminders],
    metadata: showMetadata(metadata),
  };
}

/** Returns what came of a time, as the API shows it. */
export function showOccurrence(schedule: Schedule, occurrence: Occurrence): ShownOccurrence {
  const { number, through, status, reason, record, at } = occurrence;
  const isDraft = record?.startsWith('drft_') ?? false;
  return {
    number,
    through,
    status,
    reason: reason ?? null,
    period: { ...periodOfTime(schedule, number), end: periodOfTime(schedule, through).end },
    invoiceId: record !== undefined && !isDraft ? record : null,
    draftId: record !== undefined && isDraft ? record : null,
    at: toTimestamp(at),
  };
}
