/**
 * Adds amounts exactly, also beyond 2^53, where a number has gaps. DynamoDB adds numbers of up to 38 digits, and the store reads those
 * beyond 2^53 as bigints. Pure.
 */
import * as v from 'valibot';

/** A sum of amounts: a number if it is a safe integer, and a bigint otherwise. So equal sums are the same value. */
export type Sum = number | bigint;

/** A sum in responses, which show it as an integer with all of its digits. */
export const sumSchema = v.custom<Sum>((value) => typeof value === 'bigint' || Number.isInteger(value));

/** Returns a stored sum. An attribute that does not exist is 0. */
export const sumIn = (item: Readonly<Record<string, unknown>>, attribute: string): Sum => {
  const value = item[attribute];
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
};

/** Returns an integer as a sum. */
export const toSum = (exact: bigint): Sum => (Number.isSafeInteger(Number(exact)) ? Number(exact) : exact);

/** Adds two sums. */
export function addSums(one: Sum, other: Sum): Sum {
  const sum = Number(one) + Number(other);
  if (typeof one === 'number' && typeof other === 'number' && Number.isSafeInteger(sum)) return sum;
  return toSum(BigInt(one) + BigInt(other));
}

/** The types of TypeScript lack it. Node has it since version 21. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Returns a value whose JSON text has all digits of its bigints. Other values stay as they are. */
export function withExactText<T>(value: T): T {
  if (typeof value === 'bigint') return rawJSON(String(value)) as T;
  if (Array.isArray(value)) return value.map(withExactText) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withExactText(each)])) as T;
}
