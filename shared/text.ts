/** Short texts that clients attach to what they create. */
import * as v from 'valibot';

/** A text of 1 to `max` code points, not only white space, without NUL or unpaired surrogates. Stored as sent. */
export function textSchema(max: number, message: string) {
  return v.pipe(
    v.string(message),
    v.check(
      (text) =>
        /[^\s\p{White_Space}]/u.test(text) &&
        !text.includes('\0') &&
        text.isWellFormed() &&
        [...text].length <= max,
      message,
    ),
  );
}
