/** Defines how customers are stored, and the key of the lists by e-mail address. */
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { defineNumberedType } from '../../store/records.ts';
import { instant, jsonObject, nullable, oneOf, optional, text } from '../../store/stored-fields.ts';
import { storedAddress, storedTaxIds } from '../parties/stored-party.ts';
import type { Customer } from './customer.ts';

const nullableText = nullable(text);

export const customerType = defineNumberedType<Customer>('customer', {
  attributes: {
    name: nullableText,
    email: nullableText,
    phone: nullableText,
    address: nullable(storedAddress),
    taxIds: storedTaxIds,
    reference: nullableText,
    remindersPaused: optional(oneOf(true)),
    metadata: optional(jsonObject),
    createdAt: instant,
    updatedAt: instant,
    deletedAt: optional(instant),
  },
});

const emailLists = '#email#';

/** Whether a filter key is that of a list of customers with an e-mail address. */
export const isEmailListKey = (filterKey: string): boolean => filterKey.startsWith(emailLists);

/**
 * Returns the filter key of the list of customers with an e-mail address, a keyed hash. Case does not matter.
 *
 * An address can change, and numbers never leave a page. So such a list contains every customer that ever had the address,
 * and records have no filter keys. A reader compares the address of each record.
 */
export async function emailListKey(email: string): Promise<string> {
  return `${emailLists}${await tableHash('customer email', email.toLowerCase())}`;
}
