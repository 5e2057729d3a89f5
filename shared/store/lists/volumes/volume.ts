/**
 * Defines what a volume holds, and its stored form. `fold-volume.ts` says why a list that is read from pages and volumes is
 * exact. Pure.
 *
 * A volume covers the 16,384 numbers of 64 index pages of one list. It has three parts, each in an item of its own, because
 * most lists need only the first: the status of each number, its currency, and the creation time of every 16th number.
 *
 * - A volume holds only the status of highest precedence of a number, as the attribute that pages use for that status. So it
 *   does not depend on the order of the statuses in this version.
 * - Two numbers share a byte, and the bytes are compressed. A mix of statuses as in practice takes about one bit a number.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Resource } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { volumeSize } from '../../keys.ts';
import { currencySets, timedNumbers } from '../filters/record-facts.ts';
import { indexStates } from '../index-states.ts';

/** What each item of a volume says about itself. */
export interface PartState {
  /** Another random number with each write. 0 if the item does not exist. */
  readonly version: number;
  /** The part of the statuses: since when the volume has held its content at least. Undefined if nobody has confirmed it. */
  readonly heldSince?: Instant | undefined;
  /** Whether the item has attributes that this version does not know. */
  readonly hasUnknown?: boolean;
}

/** A part that names one attribute of an index page for each number. */
export interface SetPart extends PartState {
  /** The attributes that `codes` can name. */
  readonly sets: readonly string[];
  /** For each number, 0 if it has no attribute, or one more than the position of its attribute in `sets`. */
  readonly codes: Uint8Array;
}

/** The part with the creation times. */
export interface TimePart extends PartState {
  /** For every 16th number, its creation time. 0 if it is not known. */
  readonly times: Float64Array;
}

export interface Volume {
  readonly states: SetPart;
  readonly currencies: SetPart;
  readonly times: TimePart;
}

/** The parts of a volume, by the names in `Volume`. */
export type PartName = keyof Volume;
export const partNames = ['currencies', 'times', 'states'] as const satisfies readonly PartName[];

/** The attributes that this version writes into each part, in the order of precedence. */
export const setsOfPart = (resource: Resource, part: 'states' | 'currencies'): readonly string[] =>
  Object.values(part === 'states' ? indexStates[resource] : currencySets);

/** Returns a volume that holds nothing and is not stored. */
export function emptyVolume(resource: Resource): Volume {
  const state = { version: 0 };
  const part = (name: 'states' | 'currencies') => ({
    ...state,
    sets: setsOfPart(resource, name),
    codes: new Uint8Array(volumeSize),
  });
  const times = { ...state, times: new Float64Array(volumeSize / timedNumbers) };
  return { states: part('states'), currencies: part('currencies'), times };
}

/** Whether a part says nothing about any number. */
export const isEmptyPart = (part: SetPart | TimePart): boolean =>
  ('codes' in part ? part.codes : part.times).every((value: number) => value === 0);

/** The part without what it says about some numbers. @param lows the numbers, from the start of the volume */
export function withoutNumbers<P extends SetPart | TimePart>(part: P, lows: readonly number[]): P {
  if ('codes' in part) {
    const codes = part.codes.slice();
    for (const low of lows) codes[low] = 0;
    return { ...part, codes };
  }
  const times = part.times.slice();
  for (const low of lows) if (low % timedNumbers === 0) times[low / timedNumbers] = 0;
  return { ...part, times };
}

/** Counts the numbers of each attribute of a part, in the order of its attributes. */
export function countSets({ sets, codes }: SetPart): number[] {
  const counts = sets.map(() => 0);
  for (const code of codes) if (code > 0) counts[code - 1] = (counts[code - 1] ?? 0) + 1;
  return counts;
}

/** Compresses codes below 16. */
export function packCodes(codes: Uint8Array): Buffer {
  const pairs = Buffer.alloc(codes.length / 2);
  for (let pair = 0; pair < pairs.length; pair++)
    pairs[pair] = (codes[2 * pair] ?? 0) | ((codes[2 * pair + 1] ?? 0) << 4);
  return smallest(pairs);
}

/**
 * Reverses `packCodes`.
 * @param values what each code stands for. By default, the codes are returned.
 */
export function unpackCodes(data: Uint8Array, values?: readonly number[]): Uint8Array {
  const pairs = inflateRawSync(data);
  const table = Uint8Array.from({ length: 16 }, (_, code) => (values ? (values[code] ?? 0) : code));
  const codes = new Uint8Array(pairs.length * 2);
  for (let pair = 0; pair < pairs.length; pair++) {
    const both = pairs[pair] as number;
    codes[2 * pair] = table[both & 15] as number;
    codes[2 * pair + 1] = table[both >> 4] as number;
  }
  return codes;
}

/** Compresses creation times: the difference of each known one from the one before it, which is small. */
export function packTimes(times: Float64Array): Buffer {
  const bytes: number[] = [];
  let last = 0;
  for (const time of times) {
    // 0 means unknown. Differences take the odd numbers from 1 if they are negative, and the even ones from 2 otherwise.
    let value = time === 0 ? 0 : time < last ? 2 * (last - time) - 1 : 2 * (time - last) + 2;
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
    bytes.push(value);
    if (time !== 0) last = time;
  }
  return smallest(Buffer.from(bytes));
}

/** Reverses `packTimes`. */
export function unpackTimes(data: Uint8Array): Float64Array {
  const times = new Float64Array(volumeSize / timedNumbers);
  let last = 0;
  let index = 0;
  let value = 0;
  let factor = 1;
  for (const byte of inflateRawSync(data)) {
    value += (byte % 128) * factor;
    factor *= 128;
    if (byte > 127) continue;
    if (value > 0) last += value % 2 === 1 ? -(value + 1) / 2 : (value - 2) / 2;
    times[index++] = value === 0 ? 0 : last;
    [value, factor] = [0, 1];
  }
  return times;
}

/** Both forms are read in the same way. Without repetitions, the one without a search for them is smaller. */
function smallest(bytes: Buffer): Buffer {
  const searched = deflateRawSync(bytes);
  const unsearched = deflateRawSync(bytes, { strategy: constants.Z_HUFFMAN_ONLY });
  return searched.length < unsearched.length ? searched : unsearched;
}
