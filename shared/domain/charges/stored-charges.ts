/** Says how the lines of an invoice and what they come to are stored, and what an erasure leaves of them. */
import { eraseEach, eraseText, type FieldErasures, keepValue } from '../../store/field-erasure.ts';
import {
  arrayOf,
  count,
  type Field,
  type Fields,
  integer,
  nullable,
  objectOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { Charges, Discount, LineInput, ShownLine, TaxRow } from './line.ts';

/** What an invoice stores of its charges. It has the amount itself. */
export type StoredCharges = Omit<Charges, 'amount'>;

export const storedDiscount = nullable(
  objectOf<Discount>({ percent: nullable(text), amount: nullable(count) }),
);
const nullableText = nullable(text);

const lineFields: Fields<LineInput> = {
  id: nullableText,
  description: text,
  quantity: text,
  unit: nullableText,
  unitAmount: count,
  discount: storedDiscount,
  tax: textOf<ShownLine['tax']>(),
  taxPercent: nullableText,
  taxName: optional(text),
  productCode: nullableText,
  product: optional(text),
};

/** A line without what it comes to. */
export const storedLineInput: Field<LineInput> = objectOf<LineInput>(lineFields);

export const storedCharges: Field<StoredCharges> = objectOf<StoredCharges>({
  prices: textOf<Charges['prices']>(),
  discount: storedDiscount,
  roundTo: nullable(positive as Field<NonNullable<Charges['roundTo']>>),
  lines: arrayOf(
    objectOf<ShownLine>({
      ...lineFields,
      amount: count,
      taxableAmount: count,
      taxAmount: count,
    }),
  ),
  taxes: arrayOf(
    objectOf<TaxRow>({
      code: textOf<TaxRow['code']>(),
      name: text,
      percent: text,
      taxable: count,
      amount: count,
    }),
  ),
  totals: objectOf<Charges['totals']>({
    subtotal: count,
    discount: count,
    taxable: count,
    tax: count,
    rounding: integer,
  }),
});

const discountErasures: FieldErasures<Discount> = { percent: keepValue, amount: keepValue };

/** The texts of lines can name a person. Quantities, prices, taxes and codes are needed by the books. */
export const chargesErasures = {
  prices: keepValue,
  discount: discountErasures,
  roundTo: keepValue,
  lines: eraseEach<ShownLine>({
    id: eraseText,
    description: eraseText,
    quantity: keepValue,
    unit: eraseText,
    unitAmount: keepValue,
    discount: discountErasures,
    tax: keepValue,
    taxPercent: keepValue,
    taxName: keepValue,
    productCode: keepValue,
    product: keepValue,
    amount: keepValue,
    taxableAmount: keepValue,
    taxAmount: keepValue,
  }),
  taxes: eraseEach<TaxRow>({
    code: keepValue,
    name: keepValue,
    percent: keepValue,
    taxable: keepValue,
    amount: keepValue,
  }),
  totals: {
    subtotal: keepValue,
    discount: keepValue,
    taxable: keepValue,
    tax: keepValue,
    rounding: keepValue,
  },
} satisfies FieldErasures<StoredCharges>;
