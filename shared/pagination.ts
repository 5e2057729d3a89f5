/**
 * The `limit` and `offset` of lists: how they are read from a query and how a page reports where it stands.
 */
import * as v from 'valibot';

const maxLimit = 100;
const defaultLimit = 20;

/**
 * The two query parameters. In: each a string, `undefined` if absent (then 20 and 0), or an array of strings if
 * repeated, which is refused. Out: numbers. Decimal digits only, so no sign, point, exponent or white space.
 */
export const paginationQuery = {
  limit: v.optional(
    integerText(1, maxLimit, `limit must be an integer from 1 to ${maxLimit}.`),
    String(defaultLimit),
  ),
  offset: v.optional(
    integerText(
      0,
      Number.MAX_SAFE_INTEGER,
      `offset must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`,
    ),
    '0',
  ),
};

/** The same two, as JSON Schema describes what they mean rather than how they are spelled. */
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

/** The `cursor` of a list that is paged by ids: `next` is what to send to go on; null if there is nothing to go on from. */
export const cursorSchema = v.strictObject({ hasMore: v.boolean(), next: v.nullable(v.string()) });

/**
 * The `pagination` of a page that holds `count` items, from `offset` on, of the `total` that match. `hasMore` compares
 * by subtraction: `offset + count` may be beyond what a number holds exactly.
 */
export function pageOf(page: {
  total: number;
  limit: number;
  offset: number;
  count: number;
}): v.InferOutput<typeof paginationSchema> {
  const { total, limit, offset, count } = page;
  return { total, limit, offset, hasMore: count < total - offset };
}

/** Sixteen significant digits are as many as 2^53 − 1 has; above that a number is not exact any more. */
function integerText(min: number, max: number, message: string) {
  return v.pipe(
    v.string(message),
    v.regex(/^0*\d{1,16}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** The response of a list whose rows are of the shape `row`. */
export function listOf<const Row extends v.GenericSchema>(row: Row) {
  return v.strictObject({ data: v.array(row), pagination: paginationSchema });
}
