/** Recognizes the ids of customers: e-mail addresses, and ids of the merchant's choice. */

import { isEmail } from '../email.ts';

const ownId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/** Whether a text is a valid customer id. A text with `@` must be an e-mail address. */
export function isCustomerId(text: string): boolean {
  return text.includes('@') ? isEmail(text) : ownId.test(text);
}
