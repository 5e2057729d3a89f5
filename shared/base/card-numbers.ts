/**
 * Finds card numbers in texts that people type, so that the service stores and logs none.
 *
 * - A card number has an issuer's prefix, a length of that issuer, and a correct check digit (Luhn, ISO/IEC 7812-1).
 * - Its digits stand alone: no letter, digit, underscore or plus sign touches them, also not across a hyphen or dot. So UUIDs,
 *   hashes, phone numbers with a country code, and numbers such as `EAN-4006381333931` contain none.
 * - Its digits are together or in the groups that cards have, with one space, hyphen or dot between them.
 * - An account number in IBAN form (ISO 13616) is not a card number, although its digits may look like one.
 */

/**
 * The numbers of each issuer: prefixes, and the number of digits. Most are those of Braintree's `credit-card-type`. The others
 * are older ones that published test numbers have.
 *
 * Maestro also allows 12 digits. They are left out, because the reference of a UPI payment has 12 digits and begins with the
 * year and the day. On some days, all references would begin like a Maestro card.
 */
const issuers: readonly RegExp[] = [
  // Visa
  /^4(\d{12}|\d{15}|\d{17}|\d{18})$/,
  // Mastercard
  /^(5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
  // American Express
  /^3[47]\d{13}$/,
  // Diners Club
  /^3(0[0-5]|[689]\d)(\d{11}|\d{13}|\d{16})$/,
  // JCB, and RuPay cards that share its range
  /^35(2[89]|[3-8]\d)\d{12,15}$/,
  /^(3088|3096|3112|3120|3158|3337|2131|1800)\d{12}$/,
  /^(2131|1800)\d{11}$/,
  // Discover, RuPay, UnionPay, Maestro, Elo, Hipercard, Verve, Dankort and others that share ranges
  /^(5[0678]|6\d)\d{14,17}$/,
  // Maestro, in short form
  /^(5018|5033|5038|5893|6304|67\d{2})\d{9,11}$/,
  // Mir
  /^220[0-4]\d{12,15}$/,
  // RuPay, UnionPay and Troy
  /^(8[12]\d{2}|9792)\d{12}$/,
];

/** UATP, a card for air travel. Only in groups, because identifiers of 15 digits often begin with 1. */
const issuerOfGroups = /^1\d{14}$/;

/** The lengths of the groups in which people write a card number. */
const groupings = /^(1[3-9]|4 4 4 [1-4]|4 4 4 4 [1-3]|4 6 [45]|4 5 6|4 3 3 3|4 4 5|6 13)$/;
const maxGroups = 5;

/** Letters and digits of a word or number. A hyphen or dot inside joins its parts. */
const words = /[\w+]+(?:[.\p{Pd}][\w+]+)*/gu;
const joiners = /[.\p{Pd}]/u;

/** A text with fewer digits has no card number. */
const enoughDigits = /\d(?:\D?\d){12}/;

/** Returns whether the text contains a card number. */
export function containsCardNumber(text: string): boolean {
  return enoughDigits.test(text) && wordRunsOf(text).some(hasCardNumber);
}

/** Replaces every number of 12 digits or more, because a text can contain a part of a card number or an unknown kind. */
export function maskLongNumbers(text: string): string {
  return text.replace(/\d[\d -]{10,}\d/g, '…');
}

/** Returns the words of the text, in runs of words with one space between them. */
function wordRunsOf(text: string): string[][] {
  const runs: string[][] = [];
  let end = -1;
  for (const { 0: word, index } of text.matchAll(words)) {
    const follows = index === end + 1 && /\p{Zs}/u.test(text.charAt(end));
    if (follows) runs.at(-1)?.push(word);
    else runs.push([word]);
    end = index + word.length;
  }
  return runs;
}

function hasCardNumber(run: readonly string[]): boolean {
  let index = 0;
  while (index < run.length) {
    const ibanWords = countIbanWords(run, index);
    if (ibanWords === 0 && beginsCardNumber(run, index)) return true;
    index += ibanWords || 1;
  }
  return false;
}

/** Whether the word is a card number, or the first group of one. */
function beginsCardNumber(run: readonly string[], index: number): boolean {
  const word = run[index] ?? '';
  if (isCardNumber(word.split(joiners))) return true;
  return Array.from({ length: maxGroups - 1 }, (_, more) => run.slice(index, index + more + 2)).some(
    isCardNumber,
  );
}

function isCardNumber(groups: readonly string[]): boolean {
  if (!groupings.test(groups.map(({ length }) => length).join(' '))) return false;
  const digits = groups.join('');
  const isIssued =
    issuers.some((numbers) => numbers.test(digits)) || (groups.length > 1 && issuerOfGroups.test(digits));
  return isIssued && hasCheckDigit(digits);
}

/** Whether the last digit is the check digit of the others (Luhn, ISO/IEC 7812-1). */
export function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Returns how many words from `start` on are one account number in groups. 0 if none begins there. */
function countIbanWords(run: readonly string[], start: number): number {
  if (!/^[A-Z]{2}\d{2}$/i.test(run[start] ?? '')) return 0;
  // An IBAN has 15 to 34 characters: four to nine groups of four.
  const candidates = [4, 5, 6, 7, 8, 9].map((count) => run.slice(start, start + count));
  return candidates.findLast((groups) => isIban(groups.join('')))?.length ?? 0;
}

/** Whether the text has the form of an account number and its check digits are correct (ISO 13616: modulo 97). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/i.test(text)) return false;
  const reordered = (text.slice(4) + text.slice(0, 4)).toUpperCase();
  const digits = reordered.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}
