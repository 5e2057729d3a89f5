/** Defines the summary of an account: what was invoiced and received, and what is outstanding. */
import * as v from 'valibot';
import { earliestDay, isAnyDay, isDay } from '../../base/due-date.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { sumSchema } from '../../base/exact-sum.ts';
import { currencySchema } from '../../base/money.ts';

const periods = ['day', 'week', 'month'] as const;

const dayMessage = (name: string) => `${name} must be a day, such as 2026-03-31.`;

/**
 * The first day of a range in a request: `YYYY-MM-DD`. It can be earlier than all that is allowed, because only the last day decides
 * what is. @param name the name of its field
 */
export const firstDaySchema = (name: string) =>
  v.pipe(v.string(dayMessage(name)), v.check(isAnyDay, dayMessage(name)));

/** The last day of a range in a request. @param name the name of its field */
export const lastDaySchema = (name: string) =>
  v.pipe(
    firstDaySchema(name),
    v.check((text) => !isAnyDay(text) || isDay(text), `${name} must be ${earliestDay} or later.`),
  );
const byMessage = `by must be one of ${periods.join(', ')}.`;

/** The query of the summary. All parameters are optional. */
export const summaryQuery = /* @__PURE__ */ createSummaryQuery();

/** A bundle omits the result if it does not use it. */
function createSummaryQuery() {
  return v.pipe(
    v.strictObject({
      from: v.optional(firstDaySchema('from')),
      to: v.optional(lastDaySchema('to')),
      by: v.optional(v.picklist(periods, byMessage), 'month'),
      currency: v.optional(currencySchema),
    }),
    v.metadata({ errorCodes: { to: 'invalid_to' } satisfies Readonly<Record<string, ErrorCode>> }),
  );
}

export type SummaryQuery = v.InferOutput<typeof summaryQuery>;

const amount = sumSchema;
const counter = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What was received in one way. */
export const receivedBySchema = v.strictObject({ method: v.string(), amount });

/** The figures of a period. Amounts are in the smallest unit of the currency. */
export const periodSchema = v.strictObject({
  from: v.string(),
  to: v.string(),
  invoiced: amount,
  tax: amount,
  cancelled: amount,
  writtenOff: amount,
  received: amount,
  receivedBy: v.array(receivedBySchema),
  refunded: amount,
  withdrawn: amount,
  fees: amount,
  invoices: counter,
  cancellations: counter,
  payments: counter,
  refunds: counter,
});

/** What is outstanding by its age, in days after the day on which it was due. */
export const agesSchema = v.strictObject({
  notDue: amount,
  days1To30: amount,
  days31To60: amount,
  days61To90: amount,
  older: amount,
});

/** The figures of a currency. */
export const currencySummarySchema = v.strictObject({
  currency: currencySchema,
  outstanding: amount,
  overdue: amount,
  ages: agesSchema,
  periods: v.array(periodSchema),
});

export const summarySchema = v.strictObject({
  from: v.string(),
  to: v.string(),
  by: v.picklist(periods),
  timeZone: v.string(),
  today: v.string(),
  asOf: counter,
  currencies: v.array(currencySummarySchema),
});

export type Summary = v.InferOutput<typeof summarySchema>;
export type CurrencySummary = Summary['currencies'][number];
export type Period = CurrencySummary['periods'][number];
export type Ages = CurrencySummary['ages'];
