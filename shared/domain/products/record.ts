/** Defines how products are stored. */
import { defineNumberedType } from '../../store/records.ts';
import {
  count,
  instant,
  nullable,
  objectOf,
  oneOf,
  optional,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { Product, UnitAmounts } from './product.ts';

const nullableText = nullable(text);

export const productType = defineNumberedType<Product>('product', {
  attributes: {
    name: text,
    description: nullableText,
    unit: nullableText,
    unitAmounts: objectOf<UnitAmounts>({ BTN: optional(count), USD: optional(count), INR: optional(count) }),
    tax: textOf<Product['tax']>(),
    productCode: nullableText,
    isArchived: oneOf<boolean>(true, false),
    createdAt: instant,
    updatedAt: instant,
    deletedAt: optional(instant),
  },
});
