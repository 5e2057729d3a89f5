/**
 * Parses the query parameters that the lists of invoices, payments and refunds have in common: statuses, the currency and a
 * range of creation times.
 */
import * as v from 'valibot';
import { isPlainDate, parseDueDate } from '../../../base/due-date.ts';
import { currencies, currencyMessage } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the message of a query parameter that can be sent only once. A repeated parameter is an array.
 * @param message returns the message for another value that is not valid
 * @param advice what to do instead of repeating the parameter
 */
export const unlessRepeated =
  (name: string, message: string | ((input: unknown) => string), advice = '') =>
  ({ input }: { readonly input: unknown }): string => {
    if (Array.isArray(input)) return `${name} must be sent only once.${advice}`;
    return typeof message === 'string' ? message : message(input);
  };

const statusAdvice = ' From version 2026-11-23 on, separate several values with commas.';

/**
 * The filter by status: one status, or several separated by commas. The output is an array.
 * @param message if a status does not exist
 */
export function statusFilter<const Status extends string>(statuses: readonly Status[], message: string) {
  const isStatus = (text: string): text is Status => statuses.includes(text as Status);
  return v.pipe(
    v.string(unlessRepeated('status', message, statusAdvice)),
    v.check((text) => text.split(',').every(isStatus), message),
    v.transform((text): readonly Status[] => text.split(',').filter(isStatus)),
  );
}

/**
 * The filters that need no list of their own. A date without a time is a day in UTC, and so is a time without a time zone.
 *
 * - The output of `createdFrom` is the first instant of the range.
 * - The output of `createdTo` is the first instant after the range. A date without a time includes its whole day.
 */
export const factFilters = /* @__PURE__ */ createFactFilters();

function createFactFilters() {
  return {
    currency: v.optional(v.picklist(currencies, unlessRepeated('currency', currencyMessage))),
    createdFrom: v.optional(
      instantFilter('createdFrom', (instant, text) => (isPlainDate(text) ? instant - dayMs + 1 : instant)),
    ),
    createdTo: v.optional(instantFilter('createdTo', (instant) => instant + 1)),
  };
}

/** A space is read as `+`, because a query turns an unescaped `+` of a time zone into a space. */
function instantFilter(name: string, toBound: (instant: Instant, text: string) => Instant) {
  const message = `${name} must be a valid date, such as 2026-03-31, or a date and time, such as 2026-03-31T17:00:00Z, from 1970 to 9999.`;
  return v.pipe(
    v.string(unlessRepeated(name, message)),
    v.transform((text) => text.replaceAll(' ', '+')),
    v.check((text) => parseDueDate(text) !== undefined, message),
    v.transform((text) => toBound(parseDueDate(text)?.instant ?? 0, text)),
  );
}

/** Whether a range does not end before it begins. Takes the output of `factFilters`. */
export function isRange({
  createdFrom = 0,
  createdTo = Number.POSITIVE_INFINITY,
}: {
  readonly createdFrom?: Instant | undefined;
  readonly createdTo?: Instant | undefined;
}): boolean {
  return createdFrom < createdTo;
}

/** The message for a range that ends before it begins. */
export const rangeMessage =
  'createdTo must not be before createdFrom. Swap the two, or leave one of them out.';
