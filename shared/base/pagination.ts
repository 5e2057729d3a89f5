/** Parses the `limit` and `offset` of lists, and defines the `pagination` and `cursor` that list responses contain. */
import * as v from 'valibot';

const maxLimit = 100;
const defaultLimit = 20;

/**
 * The schemas of the two query parameters. They accept decimal digits only, without sign, point, exponent or white
 * space. The input is a string, or undefined if the parameter is absent; then `limit` is 20 and `offset` is 0. A
 * repeated parameter is an array and is rejected. The output is a number.
 */
export const paginationQuery = {
  limit: v.optional(
    integerText(1, maxLimit, `limit must be an integer from 1 to ${maxLimit}, sent only once.`),
    String(defaultLimit),
  ),
  offset: v.optional(
    integerText(
      0,
      Number.MAX_SAFE_INTEGER,
      `offset must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, sent only once.`,
    ),
    '0',
  ),
};

/** A filter by an amount in the smallest unit of a currency. The input is decimal digits, the output a number. */
export const amountFilter = integerText(
  1,
  Number.MAX_SAFE_INTEGER,
  'amount must be an integer in the smallest unit of the currency, sent only once.',
);

/** The same two parameters in JSON Schema, as numbers and not as the texts in the query. */
export const paginationParameters = {
  limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
} as const;

/** The `pagination` of a list response. */
export const paginationSchema = v.strictObject({
  total: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  limit: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(maxLimit)),
  offset: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  hasMore: v.boolean(),
});

/**
 * The `cursor` of a list that is paged by ids. `next` is the id to send for the next page, null if there is no such id.
 */
export const cursorSchema = v.strictObject({ hasMore: v.boolean(), next: v.nullable(v.string()) });

/**
 * Returns the `pagination` of a page that contains `count` of `total` items, starting at `offset`. Computes `hasMore`
 * by subtraction, because `offset + count` may be too large for an exact number.
 */
export function paginationOf(page: {
  total: number;
  limit: number;
  offset: number;
  count: number;
}): v.InferOutput<typeof paginationSchema> {
  const { total, limit, offset, count } = page;
  return { total, limit, offset, hasMore: count < total - offset };
}

/** At most sixteen significant digits, as many as 2^53 − 1 has. Larger numbers are not exact. */
function integerText(min: number, max: number, message: string) {
  return v.pipe(
    v.string(message),
    v.regex(/^0*\d{1,16}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** Creates the schema of a list response whose rows have the schema `row`. */
export function listOf<const Row extends v.GenericSchema>(row: Row) {
  return v.strictObject({ data: v.array(row), pagination: paginationSchema });
}
