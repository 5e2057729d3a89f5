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
export const metadata =
  'Your own texts by key, for example the ID of an order in your system. Empty if you did not set any.';
export const newMetadata =
  'Your own texts by key, for example the ID of an order in your system. At most 20 keys of 1 to 40 characters, with texts of at most 500 characters, and at most 4096 bytes as JSON in UTF-8. Card numbers in texts are refused. Do not send secrets: everyone who can read the object sees its metadata.';
export const metadataUpdate =
  'The keys to set. Null as the value of a key removes the key, and null as the whole value removes all keys. Other keys keep their texts. The limits are those of a new object.';
export const pagination = 'The position of this page in the list.';
export const cursor = 'The position of this page in the list, and how to get the next page.';
