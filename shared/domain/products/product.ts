/**
 * Defines the product: what an account sells, with its price in each currency. A line of an invoice can name one, and takes from it
 * what it does not say itself.
 */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { type Currency, currencies, maxAmount } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { typedText } from '../../base/text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { productCodeSchema } from '../charges/line.ts';
import { maxLineDescription } from '../charges/plain-charges.ts';
import { acceptedTaxes, noTax, type TaxCodeName, taxCodeSchema } from '../charges/tax-codes.ts';

/** The price of one unit in the smallest unit of each currency. The invoice says whether it contains the tax. */
export type UnitAmounts = { readonly [C in Currency]?: number | undefined };

/** The product as the service stores it. A deleted product has only its ids, its version and its times. */
export interface Product extends NumberedRecord<'product'> {
  readonly name: string;
  readonly description: string | null;
  readonly unit: string | null;
  readonly unitAmounts: UnitAmounts;
  readonly tax: TaxCodeName;
  /** The HSN or SAC code. */
  readonly productCode: string | null;
  /** An archived product stays, but no new line can name it. */
  readonly isArchived: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | undefined;
}

const productStatuses = ['active', 'archived'] as const;

const amountsMessage = `unitAmounts must be an object with at least one of ${currencies.join(', ')}.`;
const amountMessage = `A price must be an integer from 0 to ${maxAmount}, in the smallest currency unit.`;
const taxMessage = `tax must be ${acceptedTaxes}.`;
const statusMessage = `status must be ${productStatuses.join(' or ')}.`;

const unitAmount = v.pipe(
  v.number(amountMessage),
  v.integer(amountMessage),
  v.minValue(0, amountMessage),
  v.maxValue(maxAmount, amountMessage),
);

/** The prices in a request. */
export const newUnitAmountsSchema = v.pipe(
  v.strictObject(
    { BTN: v.optional(unitAmount), USD: v.optional(unitAmount), INR: v.optional(unitAmount) },
    amountsMessage,
  ),
  v.check((amounts) => currencies.some((currency) => amounts[currency] !== undefined), amountsMessage),
);

const name = typedText('name', 200);
const optionalFields = {
  description: v.nullish(typedText('description', maxLineDescription)),
  unit: v.nullish(typedText('unit', 50)),
  tax: v.optional(taxCodeSchema(taxMessage)),
  productCode: v.nullish(productCodeSchema),
};

export const createProductBody = /* @__PURE__ */ v.strictObject({
  name,
  unitAmounts: newUnitAmountsSchema,
  ...optionalFields,
});

/** Absent fields do not change. Null removes an optional field. A client can send back a product that it received. */
export const updateProductBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  name: v.optional(name),
  unitAmounts: v.optional(newUnitAmountsSchema),
  ...optionalFields,
  status: v.optional(v.picklist(productStatuses, statusMessage)),
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
});

export const listProductsQuery = /* @__PURE__ */ v.strictObject(paginationQuery);

export type CreateProduct = v.InferOutput<typeof createProductBody>;
export type UpdateProduct = v.InferOutput<typeof updateProductBody>;

const productId = v.pipe(v.string(), v.regex(idPatternOf('product')));
const shownText = v.nullable(v.string());
const shownAmount = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)));

/** The prices in responses. Currencies without a price are left out. */
export const unitAmountsSchema = v.strictObject({ BTN: shownAmount, USD: shownAmount, INR: shownAmount });

/** The product in responses. It always has all of these fields. */
export const productSchema = v.strictObject({
  id: productId,
  name: v.string(),
  description: shownText,
  unit: shownText,
  unitAmounts: unitAmountsSchema,
  tax: taxCodeSchema(),
  productCode: shownText,
  status: v.picklist(productStatuses),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const productDeletionSchema = v.strictObject({ id: productId, deletedAt: timestampSchema });

export type ShownProduct = v.InferOutput<typeof productSchema>;
export type ProductDeletion = v.InferOutput<typeof productDeletionSchema>;

/** Returns the product as the API shows it. */
export function showProduct(product: Product): ShownProduct {
  const { id, name: shownName, description, unit, tax, productCode, isArchived } = product;
  return {
    id,
    name: shownName,
    description,
    unit,
    unitAmounts: inOrder(product.unitAmounts),
    tax,
    productCode,
    status: isArchived ? 'archived' : 'active',
    createdAt: toTimestamp(product.createdAt),
    updatedAt: toTimestamp(product.updatedAt),
  };
}

/** Returns prices in the order of the currencies. The table does not keep it. */
function inOrder(amounts: UnitAmounts): ShownProduct['unitAmounts'] {
  return Object.fromEntries(
    currencies.flatMap((currency) =>
      amounts[currency] === undefined ? [] : [[currency, amounts[currency]]],
    ),
  );
}

/** The tax of a product that names none. */
export const taxOf = ({ tax = noTax }: Pick<CreateProduct, 'tax'>): TaxCodeName => tax;
