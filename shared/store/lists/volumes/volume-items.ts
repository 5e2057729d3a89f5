/** Converts the parts of volumes to items of the table, and back. `volume.ts` describes the parts. */
import type { Resource } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { volumeSize } from '../../keys.ts';
import { leaveOutMalformed } from '../../left-out-items.ts';
import type { Item } from '../../records.ts';
import {
  binary,
  defineItem,
  instant,
  MalformedItemError,
  optional,
  parseOrError,
  positive,
  text,
} from '../../stored-fields.ts';
import { timedNumbers } from '../filters/record-facts.ts';
import { indexStates } from '../index-states.ts';
import { noteMalformedWire, type WireItem } from '../wire-items.ts';
import {
  countSets,
  type PartState,
  packCodes,
  packTimes,
  type SetPart,
  setsOfPart,
  type TimePart,
  unpackCodes,
  unpackTimes,
} from './volume.ts';
import type { PackedStates } from './volume-view.ts';

/** The attributes of a part, without its key. The attribute names of sets have one letter each. */
export function partAttributes(part: SetPart | TimePart): Item {
  const { version, heldSince } = part;
  if ('times' in part) return { version, data: packTimes(part.times) };
  const { sets, codes } = part;
  return { version, heldSince, sets: sets.join(''), counts: countSets(part).join(), data: packCodes(codes) };
}

const nameOf = ({ pk, sk }: Item) => `${pk}#${sk}`;
const partState = { version: positive, heldSince: optional(instant), data: binary };
type StoredPart = Pick<PartState, 'version'> & { heldSince: Instant | undefined; data: Uint8Array };
const parseTimes = defineItem<StoredPart>(nameOf, partState);
const parseSets = defineItem<StoredPart & { readonly sets: string }>(nameOf, { ...partState, sets: text });

/** @throws MalformedItemError if the bytes of a part cannot be unpacked to so many numbers */
function unpackWhole<T extends ArrayLike<number>>(item: Item, size: number, unpack: () => T): T {
  const problem = 'its attribute data is packed in another form';
  let values: T;
  try {
    values = unpack();
  } catch (cause) {
    throw new MalformedItemError(nameOf(item), problem, { cause });
  }
  if (values.length !== size) throw new MalformedItemError(nameOf(item), problem);
  return values;
}

/** Returns the part in an item. @param item undefined if the item does not exist. @throws MalformedItemError */
export function setPartOf(
  resource: Resource,
  name: 'states' | 'currencies',
  item: Item | undefined,
): SetPart {
  if (!item)
    return {
      version: 0,
      sets: setsOfPart(resource, name),
      codes: new Uint8Array(volumeSize),
    };
  const { sets, data } = parseSets(item);
  return {
    ...stateOf(item),
    sets: [...sets],
    codes: unpackWhole(item, volumeSize, () => unpackCodes(data)),
  };
}

/** Returns the part with the creation times in an item. @throws MalformedItemError */
export function timePartOf(item: Item | undefined): TimePart {
  if (!item) return { version: 0, times: new Float64Array(volumeSize / timedNumbers) };
  const { data } = parseTimes(item);
  return {
    ...stateOf(item),
    times: unpackWhole(item, volumeSize / timedNumbers, () => unpackTimes(data)),
  };
}

const stateOf = ({ version, heldSince, ...others }: Item): PartState => ({
  version: version as number,
  heldSince: heldSince as Instant | undefined,
  hasUnknown: Object.keys(others).some((name) => !known.has(name)),
});

const known = new Set(['pk', 'sk', 'sets', 'counts', 'data', 'expiresAt']);

/**
 * Returns the statuses in an item, in DynamoDB's JSON. Undefined if the item is malformed, which is noted. An attribute that only a newer version knows counts as the first
 * status: as on a page, the record exists, and this version does not know more about it.
 */
export function packedStatesOf(
  resource: Resource,
  item: WireItem,
): (PackedStates & Pick<PartState, 'heldSince'>) | undefined {
  const { sets, counts, data, heldSince } = item;
  const numbers = counts?.S?.split(',').map(Number) ?? [];
  if (sets?.S === undefined || data?.B === undefined || numbers.length === 0 || numbers.some(Number.isNaN)) {
    noteMalformedWire(item, 'it is no volume');
    return undefined;
  }
  return {
    counts: countsByPrecedence(resource, [...sets.S], numbers),
    unpack: () => unpackStates(resource, item).slice(),
    heldSince: heldSince?.N === undefined ? undefined : Number(heldSince.N),
  };
}

/** What was unpacked last, by the key of the volume. A list is often read several times until its volumes change. */
const unpackedStates = new Map<string, { readonly from: string; readonly precedences: Uint8Array }>();
const maxUnpacked = 100;

/** Returns the precedence of each number of a volume. Do not change it. */
function unpackStates(resource: Resource, item: WireItem): Uint8Array {
  const { pk, sk, sets, data } = item;
  const name = `${resource} ${pk?.S} ${sk?.S}`;
  const from = `${sets?.S} ${data?.B}`;
  const known = unpackedStates.get(name);
  if (known?.from === from) return known.precedences;
  const values = [0, ...precedencesOfSets(resource, [...(sets?.S ?? '')])];
  const precedences =
    unpackWire(item, volumeSize, (bytes) => unpackCodes(bytes, values)) ?? new Uint8Array(volumeSize);
  if (unpackedStates.size >= maxUnpacked) unpackedStates.clear();
  unpackedStates.set(name, { from, precedences });
  return precedences;
}

/** Returns how many numbers have each precedence. @param counts how many have each of the attributes `sets` */
export function countsByPrecedence(
  resource: Resource,
  sets: readonly string[],
  counts: readonly number[],
): number[] {
  const byPrecedence: number[] = [];
  for (const [index, precedence] of precedencesOfSets(resource, sets).entries())
    byPrecedence[precedence] = (byPrecedence[precedence] ?? 0) + (counts[index] ?? 0);
  return Array.from(byPrecedence, (count = 0) => count);
}

/** Returns the precedence of each number of a part with statuses, as `packedStatesOf` does. */
export function precedencesOfPart(resource: Resource, { sets, codes }: SetPart): Uint8Array {
  const precedences = precedencesOfSets(resource, sets);
  return codes.map((code) => (code === 0 ? 0 : (precedences[code - 1] ?? 1)));
}

function precedencesOfSets(resource: Resource, sets: readonly string[]): number[] {
  const known: readonly string[] = Object.values(indexStates[resource]);
  return sets.map((set) => Math.max(0, known.indexOf(set)) + 1);
}

/** Unpacks the bytes of a part in DynamoDB's JSON. Returns undefined if the item is malformed, which is noted. */
export function unpackWire<T extends ArrayLike<number>>(
  item: WireItem,
  size: number,
  unpack: (data: Uint8Array) => T,
): T | undefined {
  const { pk, sk, data } = item;
  const whole = parseOrError({ pk: pk?.S, sk: sk?.S }, (key) =>
    unpackWhole(key as Item, size, () => unpack(bytesOf(data))),
  );
  return leaveOutMalformed([whole])[0];
}

/** The bytes of a binary attribute in DynamoDB's JSON. */
const bytesOf = (value: WireItem[string] | undefined): Buffer => Buffer.from(value?.B ?? '', 'base64');
