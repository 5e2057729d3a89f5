/** Defines the fields of an invoice that say what it charges: in a new one, in an update and in responses. */
import * as v from 'valibot';
import {
  discountSchema,
  lineSchema,
  newDiscountSchema,
  newLinesSchema,
  pricesSchema,
  roundToSchema,
  taxRowSchema,
  totalsSchema,
} from './line.ts';

/** In the body of a new invoice. */
export const newChargeFields = {
  lines: v.nullish(newLinesSchema),
  prices: v.nullish(pricesSchema),
  discount: v.nullish(newDiscountSchema),
  roundTo: v.nullish(roundToSchema),
};

/** In the body of an update. The taxes and totals of a response can be sent back. */
export const chargeUpdates = {
  lines: v.optional(newLinesSchema),
  prices: v.optional(pricesSchema),
  discount: v.nullish(newDiscountSchema),
  roundTo: v.nullish(roundToSchema),
  taxes: v.optional(v.unknown()),
  totals: v.optional(v.unknown()),
};

export const shownChargeFields = {
  lines: v.pipe(v.array(lineSchema), v.readonly()),
  prices: pricesSchema,
  discount: v.nullable(discountSchema),
  roundTo: v.nullable(roundToSchema),
  taxes: v.pipe(v.array(taxRowSchema), v.readonly()),
  totals: totalsSchema,
};

/**
 * Returns the schema of a body that has an amount or lines. Without lines, a missing amount is reported at its place among the
 * fields.
 */
export function amountOrLines<const Body extends v.GenericSchema>(
  withAmount: v.GenericSchema,
  withLines: Body,
): Body {
  return eitherBody('lines', withAmount, withLines);
}

/** Returns the schema of a body that has a customer or a buyer. Without a buyer, a missing customer is reported at its place. */
export function customerOrBuyer<const Body extends v.GenericSchema>(
  withCustomer: v.GenericSchema,
  withBuyer: Body,
): Body {
  return eitherBody('buyer', withCustomer, withBuyer);
}

function eitherBody<const Body extends v.GenericSchema>(
  field: 'lines' | 'buyer',
  without: v.GenericSchema,
  withField: Body,
): Body {
  const isSent = (input: unknown) => (input as { readonly [name: string]: unknown } | null)?.[field] != null;
  return {
    ...withField,
    '~run': (...[dataset, config]: Parameters<Body['~run']>) =>
      (isSent(dataset.value) ? withField : without)['~run'](dataset, config) as ReturnType<Body['~run']>,
  };
}
