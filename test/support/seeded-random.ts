/** Chance that depends on its arguments alone, so that a failing run can be repeated from the seed it prints. */

type Part = string | number;

/** A number in [0, 1) that is a function of the parts. */
export function chanceOf(...parts: readonly Part[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export interface Dice {
  /** The next number in [0, 1). */
  next(): number;
  /** True with that probability. */
  chance(probability: number): boolean;
  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number;
  pick<T>(values: readonly T[]): T | undefined;
}

/** A sequence of chances that is a function of the parts. */
export function diceOf(...parts: readonly Part[]): Dice {
  let count = 0;
  const next = () => chanceOf(...parts, count++);
  return {
    next,
    chance: (probability) => next() < probability,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (values) => values[Math.floor(next() * values.length)],
  };
}
