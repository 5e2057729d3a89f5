/**
 * Finds card numbers in texts that are not meant to contain any, so that the service stores and logs none.
 *
 * - A card number has an issuer's prefix, a length of that issuer, and a correct check digit (Luhn, ISO/IEC 7812-1). About
 *   3 % of random numbers of 16 digits have all three.
 * - Its digits may be in groups, with one space, hyphen or dot between them.
 * - An account number in IBAN form (ISO 13616) is not a card number, although its digits may look like one.
 */

/** The numbers of each issuer: prefixes, and the number of digits. */
const issuers: readonly RegExp[] = [
  // Visa
  /^4(\d{12}|\d{15}|\d{18})$/,
  // Mastercard
  /^(5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
  // American Express
  /^3[47]\d{13}$/,
  // Diners Club
  /^3(0[0-5]|[689]\d)\d{11}$/,
  // JCB, and RuPay cards that share its range
  /^35(2[89]|[3-8]\d)\d{12}$/,
  // Discover and RuPay
  /^(6011|64[4-9]\d|65\d{2}|60\d{2}|8[12]\d{2}|508\d)\d{12}$/,
  // UnionPay
  /^62\d{14,17}$/,
  // Maestro
  /^(5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}$/,
];

const digitGroups = /\d+(?:[ \u00a0.-]\d+)*/g;
const iban = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;

/** Whether the text contains a card number. */
export function containsCardNumber(text: string): boolean {
  const withoutIbans = text.replace(iban, (found) => (isIban(found) ? ' ' : found));
  return (withoutIbans.match(digitGroups) ?? []).some(hasCardNumber);
}

/** Replaces every number of 12 digits or more, because a text can contain a part of a card number or an unknown kind. */
export function maskLongNumbers(text: string): string {
  return text.replace(/\d[\d -]{10,}\d/g, '…');
}

/** Whether successive groups of digits together are a card number. */
function hasCardNumber(digitsInGroups: string): boolean {
  const groups = digitsInGroups.split(/\D/);
  return groups.some((_, start) => {
    let digits = '';
    for (const group of groups.slice(start)) {
      digits += group;
      if (digits.length > 19) return false;
      if (isCardNumber(digits)) return true;
    }
    return false;
  });
}

const isCardNumber = (digits: string) =>
  issuers.some((numbers) => numbers.test(digits)) && hasCheckDigit(digits);

/** Whether the last digit is the check digit of the others (Luhn, ISO/IEC 7812-1). */
export function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Whether the check digits of an account number are correct (ISO 13616: modulo 97). */
function isIban(text: string): boolean {
  const characters = text.replaceAll(' ', '');
  const reordered = characters.slice(4) + characters.slice(0, 4);
  const digits = reordered.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}
