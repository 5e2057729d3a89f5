/** Reads the currencies and creation times in volumes, as far as a list needs them. */
import type { Owner, Resource } from '../../../base/ids.ts';
import { type Currency, currencies } from '../../../base/money.ts';
import { type Key, tableKeys, volumeNumberOf, volumeSize } from '../../keys.ts';
import { currencySets, timedNumbers } from '../filters/record-facts.ts';
import type { FoldedFacts, RecordFilter } from '../filters/record-matcher.ts';
import { unpackCodes, unpackTimes } from '../volumes/volume.ts';
import { unpackWire } from '../volumes/volume-items.ts';
import { queryWireItems, type WireItem } from '../wire-items.ts';
import type { PageRange, TimeAnchor } from './time-anchors.ts';

/** What was read of the facts in the volumes of a list. */
export interface VolumeFacts {
  /** What is known about the records of a volume. */
  of(volume: number): FoldedFacts;
  readonly times: readonly TimeAnchor[];
}

interface FactsRead {
  readonly owner: Owner;
  readonly resource: Resource;
  readonly filterKey: string;
  readonly filter: RecordFilter;
  /** The volumes that the list reads. */
  readonly volumes: PageRange;
}

/**
 * Reads the facts that a filter needs: the currencies of all volumes, if it has a currency, and the creation times of the
 * first and the last volume, if these are known to be at the ends of the range. No call without such a filter.
 */
export async function readVolumeFacts({
  owner,
  resource,
  filterKey,
  filter,
  volumes,
}: FactsRead): Promise<VolumeFacts> {
  const { createdFrom, createdTo, currency } = filter;
  const ranges: PageRange[] = [];
  if (createdFrom !== undefined || createdTo !== undefined) {
    const isOpen =
      (createdFrom !== undefined && volumes.first === 0) ||
      (createdTo !== undefined && volumes.last > maxEnd);
    if (isOpen || volumes.last - volumes.first < 2) ranges.push(volumes);
    else {
      if (createdFrom !== undefined) ranges.push({ first: volumes.first, last: volumes.first });
      if (createdTo !== undefined) ranges.push({ first: volumes.last, last: volumes.last });
    }
  }
  const keyOf = (kind: 'volumeCurrencies' | 'volumeTimes') => (volume: number) =>
    tableKeys[kind](owner, resource, filterKey, volume);
  const [stored = [], ...timed] = await Promise.all([
    currency === undefined ? [] : readItemsOf(keyOf('volumeCurrencies'), volumes),
    ...ranges.map((range) => readItemsOf(keyOf('volumeTimes'), range)),
  ]);
  const byVolume = new Map(stored.map((item) => [volumeNumberOf(item.sk?.S), currenciesOf(item)]));
  const hasTimes = (volume: number) => ranges.some(({ first, last }) => volume >= first && volume <= last);
  return {
    of: (volume) => ({
      currencies: currency === undefined ? 'not read' : (byVolume.get(volume) ?? (() => undefined)),
      times: hasTimes(volume) ? 'read' : 'not read',
    }),
    times: timed.flat().flatMap(anchorsOf),
  };
}

/** No account has so many volumes. */
const maxEnd = 10_000_000;

const readItemsOf = async (keyOf: (volume: number) => Key, { first, last }: PageRange) =>
  (await queryWireItems(keyOf(first), keyOf(last), 'all')).items;

/** Returns the currency of each number of a volume, decompressed at the first use. */
function currenciesOf(item: WireItem): (low: number) => Currency | undefined {
  const values = [...(item.sets?.S ?? '')].map((set) =>
    currencies.find((each) => currencySets[each] === set),
  );
  let codes: Uint8Array | undefined;
  return (low) => {
    codes ??= unpackWire(item, volumeSize, unpackCodes) ?? new Uint8Array();
    return values[(codes[low] ?? 0) - 1];
  };
}

function anchorsOf(item: WireItem): TimeAnchor[] {
  const first = volumeNumberOf(item.sk?.S) * volumeSize;
  const times = unpackWire(item, volumeSize / timedNumbers, unpackTimes) ?? [];
  return [...times].flatMap((time, index): TimeAnchor[] =>
    time === 0 ? [] : [[first + index * timedNumbers, time]],
  );
}
