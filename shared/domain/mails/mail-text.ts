/**
 * Defines the texts that headers of mails contain. Only the functions here make them, so no text with a line end can become a part of
 * a header: header injection does not compile.
 */
import { isEmail } from '../../base/email.ts';

declare const checked: unique symbol;

/** An e-mail address, without a name. */
export type MailAddress = string & { readonly [checked]: 'address' };
/** A text of one line without control characters. */
export type HeaderText = string & { readonly [checked]: 'header' };

/** Returns the address in a text. Undefined: the text is not one e-mail address, and nothing else. */
export function parseMailAddress(text: string): MailAddress | undefined {
  return isEmail(text) ? (text as MailAddress) : undefined;
}

/** More characters do not help the reader of a list of mails. */
const maxHeaderLength = 200;

/** Returns a text for a header: on one line, without characters that nobody sees, with at most 200 characters. */
export function toHeaderText(text: string): HeaderText {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, (hidden) => (/^\p{Join_Control}+$/u.test(hidden) ? hidden : ' '))
    .trim();
  const characters = [...line];
  const short =
    characters.length <= maxHeaderLength ? line : `${characters.slice(0, maxHeaderLength - 1).join('')}…`;
  return short as HeaderText;
}
