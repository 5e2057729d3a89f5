/**
 * Computes payment references: short texts such as `R7K2-M9QX` that payers type or read out, and that name an invoice within
 * its account and mode.
 *
 * - A reference is the invoice's sequence number, permuted under a secret key. So it needs no index, and nobody can tell from
 *   it how many invoices exist.
 * - Six characters encode the permuted number, and two check characters follow: a Reed–Solomon code over 32 characters. Any
 *   two wrong characters are noticed, and so is any swap of two characters.
 */
import { hmacSha256 } from '../../base/hmac.ts';
import type { Owner } from '../../base/ids.ts';

/** Crockford's alphabet: 32 characters without I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const dataLength = 6;
const halfBits = 15;
const halfMask = (1 << halfBits) - 1;
/** Ten rounds, as in FF1 of NIST SP 800-38G, the standard for permutations of small domains. */
const rounds = 10;

/** The numbers that have a reference are smaller. */
const numberLimit = 2 ** (2 * halfBits);

/** The account and mode of an invoice, with the id key of its sequence number 1. */
export interface ReferenceScope extends Owner {
  readonly idKey: Uint8Array;
}

/** Returns the reference of the invoice with this sequence number, without a hyphen. Undefined from number 2^30 on. */
export function paymentReferenceOf(scope: ReferenceScope, seq: number): string | undefined {
  if (seq >= numberLimit) return undefined;
  const permuted = permute(scope, seq, 'forward');
  const data = Array.from({ length: dataLength }, (_, index) => (permuted >> (5 * index)) & 31);
  return [...data, ...checkOf(data)].map((value) => alphabet[value]).join('');
}

/** Returns the sequence number of the invoice that has this reference. @param reference from `parsePaymentReference` */
export function sequenceNumberOf(scope: ReferenceScope, reference: string): number {
  const data = [...reference].slice(0, dataLength).map((character) => alphabet.indexOf(character));
  return permute(
    scope,
    data.reduceRight((number, value) => number * 32 + value, 0),
    'back',
  );
}

/**
 * Parses a reference as a person typed it: in any case, with hyphens and spaces, and with the letters O, I and L for the
 * digits 0 and 1.
 * @returns the reference without a hyphen. Undefined if the text has another form or its check characters are wrong.
 */
export function parsePaymentReference(text: string): string | undefined {
  const plain = text.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  const reference = plain.replaceAll('O', '0').replace(/[IL]/g, '1');
  const values = [...reference].map((character) => alphabet.indexOf(character));
  if (values.length !== dataLength + 2 || values.includes(-1)) return undefined;
  const [first, second] = checkOf(values.slice(0, dataLength));
  return values[dataLength] === first && values[dataLength + 1] === second ? reference : undefined;
}

/** Returns a reference as people read it: `R7K2-M9QX`. */
export function formatPaymentReference(reference: string): string {
  return `${reference.slice(0, 4)}-${reference.slice(4)}`;
}

/**
 * Computes the two check characters `p` and `q`, so that the sum of all eight characters is 0, and so is their sum with the
 * weights 1, a, a², … Both sums are in the field of 32 elements.
 */
function checkOf(data: readonly number[]): [number, number] {
  let sum = 0;
  let weighted = 0;
  for (const [index, value] of data.entries()) {
    sum ^= value;
    weighted ^= multiply(value, powers[index] ?? 0);
  }
  // p + q = sum, and p·a⁶ + q·a⁷ = weighted. So q = (weighted + sum·a⁶) / (a⁶ + a⁷).
  const q = multiply(weighted ^ multiply(sum, powers[dataLength] ?? 0), divisor);
  return [sum ^ q, q];
}

/** Multiplies in the field of 32 elements: polynomials modulo x⁵ + x² + 1. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 0; bit < 5; bit++) if ((other >> bit) & 1) product ^= one << bit;
  for (let bit = 8; bit >= 5; bit--) if ((product >> bit) & 1) product ^= 0b100101 << (bit - 5);
  return product;
}

/** The powers of x, which generates all 31 elements besides 0. */
function power(exponent: number): number {
  return exponent === 0 ? 1 : multiply(power(exponent - 1), 2);
}

/** `value` to the power of 30 is its inverse, because its power of 31 is 1. */
function inverse(value: number): number {
  let result = 1;
  for (let count = 0; count < 30; count++) result = multiply(result, value);
  return result;
}

const powers = Array.from({ length: dataLength + 2 }, (_, index) => power(index));
/** The inverse of a⁶ + a⁷. */
const divisor = inverse(power(dataLength) ^ power(dataLength + 1));

/** A Feistel network over two halves of 15 bits. It is a permutation for every round function. */
function permute(
  { account, mode, idKey }: ReferenceScope,
  number: number,
  direction: 'forward' | 'back',
): number {
  const key = hmacSha256(idKey, `payment-reference:v1:${account}:${mode}`);
  const roundOf = (round: number, half: number) =>
    hmacSha256(key, Uint8Array.of(round, half >> 8, half & 255)).readUInt16BE(0) & halfMask;
  let [left, right] = [number >> halfBits, number & halfMask];
  for (let step = 0; step < rounds; step++) {
    if (direction === 'forward') [left, right] = [right, left ^ roundOf(step, right)];
    else [left, right] = [right ^ roundOf(rounds - 1 - step, left), left];
  }
  return left * 2 ** halfBits + right;
}
