/** Holds the texts that several schemas share. */
import type { SchemaField, SchemaName } from './named-schemas.ts';

/** A description of each field of each named schema. A field without a description does not compile. */
export type FieldTexts = { readonly [Name in SchemaName]: Readonly<Record<SchemaField<Name>, string>> };

export const createdAt = 'The time at which the object was created.';
export const updatedAt =
  'The time at which the object was last updated. Each update makes it strictly later.';
export const currency =
  'The three-letter ISO currency code, in uppercase: `BTN` (Bhutanese ngultrum), `USD` (US dollar) or `INR` (Indian rupee).';
export const readOnly = 'Read-only. Accepted only with its current value.';
export const pagination = 'The position of this page in the list.';
export const cursor = 'The position of this page in the list, and how to get the next page.';
