/** Validates the short texts that clients attach to invoices, payments, refunds and webhook endpoints. */
import * as v from 'valibot';

/**
 * Creates the schema of a text that is stored as sent: 1 to `max` code points, not only white space, without NUL and
 * without unpaired surrogates.
 */
export function textSchema(max: number, message: string) {
  return v.pipe(
    v.string(message),
    v.check((text) => /[^\s\p{White_Space}]/u.test(text) && isPlainText(text, max), message),
  );
}

/** Whether a text has at most `max` code points, no NUL and no unpaired surrogate. */
export function isPlainText(text: string, max: number): boolean {
  return !text.includes('\0') && text.isWellFormed() && [...text].length <= max;
}
