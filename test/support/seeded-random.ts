/** Provides random numbers that depend only on their seed, so that a failing run can be repeated from its seed. */

type Part = string | number;

/** Returns a number in [0, 1) that depends only on the parts. */
export function seededNumber(...parts: readonly Part[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export interface Random {
  /** Returns the next number in [0, 1). */
  next(): number;
  /** Returns true with that probability. */
  chance(probability: number): boolean;
  /** Returns an integer from `min` to `max`. */
  integer(min: number, max: number): number;
  /** Returns one of the values, or undefined if there are none. */
  pick<T>(values: readonly T[]): T | undefined;
}

/** Returns a sequence of random numbers that depends only on the parts. */
export function seededRandom(...parts: readonly Part[]): Random {
  let count = 0;
  const next = () => seededNumber(...parts, count++);
  return {
    next,
    chance: (probability) => next() < probability,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (values) => values[Math.floor(next() * values.length)],
  };
}
