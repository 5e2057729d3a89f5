/** Computes with decimal numbers of people exactly: as integers of millionths, never as floating-point numbers. Pure. */

/** The decimal places of a quantity or a percentage. */
export const decimalPlaces = 6;

/** How many millionths one is. */
export const millionths = 1_000_000n;

const decimal = /^(0|[1-9]\d{0,11})(?:\.(\d{1,6}))?$/;

/**
 * Parses a decimal number from 0 on, such as `2.5`: at most 12 digits before the point and 6 after it, without signs and commas.
 * @returns the number in millionths, or undefined if the text is not such a number
 */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, places = ''] = decimal.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole + places.padEnd(decimalPlaces, '0'));
}

/** Formats a number in millionths as the shortest decimal number: `2.5`. */
export function formatDecimal(value: bigint): string {
  const digits = String(value).padStart(decimalPlaces + 1, '0');
  const places = digits.slice(-decimalPlaces).replace(/0+$/, '');
  return digits.slice(0, -decimalPlaces) + (places && `.${places}`);
}

/** Divides two numbers from 0 on, and rounds a half up: away from zero. The divisor is more than 0. */
export const divideRounded = (dividend: bigint, divisor: bigint): bigint =>
  (2n * dividend + divisor) / (2n * divisor);

/**
 * Divides a total into shares in proportion to weights, so that the shares add up to the total (largest remainder method). Of equal
 * remainders, the larger weight and then the earlier share gets a unit first.
 * @param total from 0 on. It is 0 if all weights are 0.
 * @param weights from 0 on
 */
export function apportion(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((one, other) => one + other, 0n);
  if (sum === 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => (total * weight) / sum);
  const left = total - shares.reduce((one, other) => one + other, 0n);
  const remainderOf = (index: number) => (total * (weights[index] ?? 0n)) % sum;
  const byRemainder = weights
    .map((_, index) => index)
    .sort(
      (one, other) => compare(remainderOf(other), remainderOf(one)) || compare(weights[other], weights[one]),
    );
  for (const index of byRemainder.slice(0, Number(left))) shares[index] = (shares[index] ?? 0n) + 1n;
  return shares;
}

function compare(one: bigint = 0n, other: bigint = 0n): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
