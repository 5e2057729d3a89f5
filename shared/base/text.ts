/**
 * Validates the texts that clients attach to records.
 *
 * A text that a person types must not contain a card number, because a person can type one by mistake. Identifiers come from
 * other systems, and some look like card numbers, so they can be any text.
 */
import * as v from 'valibot';
import { containsCardNumber } from './card-numbers.ts';

/**
 * Creates the schema of a text that a person types. It is stored as sent: 1 to `max` code points, not only white space, without
 * NUL, unpaired surrogates and card numbers.
 * @param name what messages call the text
 */
export function typedText(name: string, max: number) {
  return v.pipe(identifierText(name, max), refuseCardNumber(name));
}

/**
 * Creates the schema of an identifier that another system chose. As `typedText`, but it can look like a card number. The
 * OpenAPI document reads `maxLength` from the schema.
 */
export function identifierText(name: string, max: number) {
  const message = textMessage(name, max);
  return v.pipe(
    v.string(message),
    v.check((text) => /[^\s\p{White_Space}]/u.test(text) && isPlainText(text, max), message),
    v.metadata({ maxLength: max }),
  );
}

/** Characters that nobody sees, such as a change of direction. Indic scripts join letters with two that are not among them. */
const hiddenCharacters = {
  line: /[^\p{Join_Control}\P{C}]|[\p{Zl}\p{Zp}]/u,
  lines: /[^\n\p{Join_Control}\P{C}]|[\p{Zl}\p{Zp}]/u,
} as const;

/**
 * Creates the rule of a text that documents show: it has no hidden characters, which could mislead its reader.
 * @param name what its message calls the text
 * @param form whether the text has one line, or lines that end with a line feed
 */
export function refuseHiddenCharacters<Text extends string>(name: string, form: 'line' | 'lines') {
  return v.check<Text, string>((text) => !hasHiddenCharacters(text, form), hiddenMessage(name));
}

/** Whether a text has hidden characters, as `refuseHiddenCharacters` refuses them. */
export const hasHiddenCharacters = (text: string, form: 'line' | 'lines'): boolean =>
  hiddenCharacters[form].test(text);

/** Says what to do about hidden characters. */
export const hiddenMessage = (name: string) =>
  `${name} must not contain hidden characters, such as control characters and changes of the direction. Remove them.`;

export const textMessage = (name: string, max: number) =>
  `${name} must be text of 1 to ${max} characters. It must not be only white space, or contain NUL or unpaired surrogates.`;

/** Creates the rule that every schema of a text that a person types has. @param name what its message calls the text */
export function refuseCardNumber<Text extends string>(name: string) {
  return v.check<Text, string>((text) => !containsCardNumber(text), cardNumberMessage(name));
}

/** Says what to do about a card number, and about another number that looks like one. */
export const cardNumberMessage = (name: string) =>
  `${name} must not contain a card number, because it is stored and shown. Remove it. If it is another number, join a word to it, such as EAN-4006381333931.`;

/** Whether a text has at most `max` code points, no NUL and no unpaired surrogate. */
export function isPlainText(text: string, max: number): boolean {
  return !text.includes('\0') && text.isWellFormed() && [...text].length <= max;
}
