/**
 * Folds index pages into volumes: moves what pages hold into a compact form, so that a list of a million records reads a
 * tenth of the capacity units.
 *
 * A list is the union of its pages and its volumes. Of a number that both contain, the status of higher precedence wins.
 * Writers add to pages only. A folder adds to a volume what the pages hold, and an hour later deletes from the pages what the
 * volume holds. A list is exact at each moment, because of four rules:
 *
 * 1. An entry leaves a page only if the volume has held it for an hour, or one of higher precedence of the same number. A
 *    reader takes less than half an hour for pages and volume (`maxReadMs`). So one that sees the page without the entry sees
 *    a volume that holds it, in whatever order it reads them. The hour begins with a time that a folder takes after it has
 *    read the volume (`heldSince`). A time from before a write would be too early, if the write is late.
 * 2. A volume loses no entry. It is written only in the version that the folder has read, so of two folders one wins, and
 *    the other begins again later. Each version adds entries to the one before it.
 * 3. What leaves a page is decided after the volume is read. A page is deleted only if it still is exactly as it was read,
 *    and of other pages, only entries that the volume holds are removed. So an entry that arrives meanwhile stays.
 * 4. The totals of a volume are written in the transaction that writes its statuses, by a folder and by an erasure. So totals say
 *    at each moment how many numbers of each status the volume holds, and a reader can take them instead of a volume that it
 *    does not read. It reads the volume if a page adds to it, because the totals do not say which numbers both contain. A
 *    volume without totals does not exist, so its entries are still in pages.
 *
 * - A writer that repeats a late write adds an entry again that the volume holds. That changes nothing.
 * - A folder can stop at any point, and another one can run beside it: what is left to do follows from what is stored.
 * - An erasure removes a number from the page first and then from the volume, which gets a new version. A folder reads the
 *   volume first and then the pages. So it has not seen the number, or its write fails.
 * - A page or a volume with an attribute that only a newer version knows is left to the newer version.
 * - Facts of records follow the same rules. They may be missing in both: lists then read the record.
 */
import type { Resource } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { pageSize, pagesPerVolume, volumeSize } from '../../keys.ts';
import { timedNumbers } from '../filters/record-facts.ts';
import { type PartName, partNames, type SetPart, setsOfPart, type TimePart, type Volume } from './volume.ts';

/** How long a volume has held what leaves a page, in milliseconds. Clocks may differ by minutes. */
export const settleMs = 60 * 60_000;
/** Within this time, in milliseconds, a list reads both pages and volumes. Otherwise it reads them again. */
export const maxReadMs = 20 * 60_000;

/** An index page as a folder reads it. */
export interface StoredPage {
  readonly page: number;
  /** The low bytes of the numbers in each set. */
  readonly sets: ReadonlyMap<string, readonly number[]>;
  /** Creation times, each with the low byte of its number. */
  readonly times: readonly (readonly [low: number, createdAt: Instant])[];
  /** Whether it has attributes that this version does not know. */
  readonly hasUnknown: boolean;
}

/** The size of what a page holds, in bytes. */
const bytesOf = ({ sets, times }: Pick<StoredPage, 'sets' | 'times'>): number =>
  [...sets.values()].reduce((sum, lows) => sum + lows.length, 7 * times.length);

/** What a folder reads and writes of one list. */
export interface FoldStore {
  readVolume(volume: number): Promise<Volume>;
  /** Reads the pages of a volume. Pages without entries can be left out. */
  readPages(volume: number): Promise<readonly StoredPage[]>;
  /**
   * Writes a part if the stored one still has the version that `before` has, and the statuses together with their totals.
   * Returns whether it has that version.
   */
  putPart(volume: number, name: PartName, before: Volume, content: Volume[PartName]): Promise<boolean>;
  /** Writes that a volume has held its content since an instant, if it still has the version that was read. */
  confirm(volume: number, read: Volume, heldSince: Instant): Promise<void>;
  /** Deletes a page, if it still is exactly as it was read. */
  deletePage(page: StoredPage): Promise<void>;
  /** Removes entries from a page, if the page exists. */
  removeEntries(page: StoredPage, entries: Pick<StoredPage, 'sets' | 'times'>): Promise<void>;
}

/** `waiting`: the volume holds entries that will leave their pages later. `done`: nothing is left to do. */
export type FoldResult = 'waiting' | 'done';

/** The size of the key of a page, in bytes. */
const keyBytes = 80;
/** Fewer bytes in pages are not worth another write of their volume. */
const minFoldBytes = 256;

/**
 * Continues to fold the pages of one volume.
 * @param minBytes pages with fewer bytes than this stay as they are
 */
export async function foldVolume(
  store: FoldStore,
  resource: Resource,
  volume: number,
  now: () => Instant,
  minBytes = minFoldBytes,
): Promise<FoldResult> {
  const stored = await store.readVolume(volume);
  const pages = (await store.readPages(volume)).filter(({ hasUnknown }) => !hasUnknown);
  if (pages.length === 0 || !isKnown(resource, stored)) return 'done';
  const { version, heldSince } = stored.states;
  if (version > 0 && heldSince === undefined) {
    await store.confirm(volume, stored, now());
    return 'waiting';
  }
  if (heldSince !== undefined && heldSince > now() - settleMs) return 'waiting';
  const left = version === 0 ? pages : await removeHeld(store, resource, stored, pages);
  const bytes = left.reduce((sum, page) => sum + keyBytes + bytesOf(page), 0);
  if (left.length === 0 || bytes < minBytes) return 'done';
  const merged = mergePages(resource, stored, left);
  // The statuses last, so that a part of a fold has no effect on lists.
  for (const name of partNames) {
    const part = { ...merged[name], heldSince: undefined };
    if (isSame(part, stored[name])) continue;
    if (!(await store.putPart(volume, name, stored, part))) return 'waiting';
  }
  const written = await store.readVolume(volume);
  if (written.states.heldSince === undefined) await store.confirm(volume, written, now());
  return 'waiting';
}

/** Whether this version knows what a volume says. */
function isKnown(resource: Resource, volume: Volume): boolean {
  const isKnownPart = (name: 'states' | 'currencies') =>
    volume[name].sets.every((set) => setsOfPart(resource, name).includes(set));
  return (
    isKnownPart('states') && isKnownPart('currencies') && partNames.every((name) => !volume[name].hasUnknown)
  );
}

/** Removes from the pages what the volume holds. Returns the pages that are left. */
async function removeHeld(
  store: FoldStore,
  resource: Resource,
  volume: Volume,
  pages: readonly StoredPage[],
): Promise<StoredPage[]> {
  const holds = holderOf(resource, volume);
  const left: StoredPage[] = [];
  await Promise.all(
    pages.map(async (page) => {
      const first = (page.page % pagesPerVolume) * pageSize;
      const isHeld = new Map<string, readonly number[]>();
      const other = new Map<string, readonly number[]>();
      for (const [set, lows] of page.sets) {
        const held = lows.filter((low) => holds.entry(set, first + low));
        if (held.length > 0) isHeld.set(set, held);
        if (held.length < lows.length)
          other.set(
            set,
            lows.filter((low) => !held.includes(low)),
          );
      }
      const times = page.times.filter(([low, at]) => holds.time(first + low, at));
      const otherTimes = page.times.filter(([low, at]) => !holds.time(first + low, at));
      if (other.size === 0 && otherTimes.length === 0) return store.deletePage(page);
      left.push({ ...page, sets: other, times: otherTimes });
      if (isHeld.size > 0 || times.length > 0) await store.removeEntries(page, { sets: isHeld, times });
    }),
  );
  return left;
}

/** Says which entries of pages a volume holds. */
function holderOf(resource: Resource, { states, currencies, times }: Volume) {
  const parts = { states, currencies };
  const names = ['states', 'currencies'] as const;
  return {
    entry(set: string, low: number): boolean {
      const name = names.find((each) => setsOfPart(resource, each).includes(set));
      if (!name) return false;
      const order = setsOfPart(resource, name);
      const held = order.indexOf(parts[name].sets[(parts[name].codes[low] ?? 0) - 1] ?? '');
      return name === 'states' ? held >= order.indexOf(set) : held === order.indexOf(set);
    },
    time: (low: number, at: Instant) => low % timedNumbers === 0 && times.times[low / timedNumbers] === at,
  };
}

/** Returns the volume with what the pages say in addition. */
export function mergePages(resource: Resource, volume: Volume, pages: readonly StoredPage[]): Volume {
  const times = volume.times.times.slice();
  for (const { page, times: added } of pages) {
    for (const [low, at] of added)
      if (low % timedNumbers === 0) times[((page % pagesPerVolume) * pageSize + low) / timedNumbers] = at;
  }
  const merged = (name: 'states' | 'currencies'): SetPart => {
    const sets = setsOfPart(resource, name);
    const codeOf = volume[name].sets.map((set) => sets.indexOf(set) + 1);
    const codes = new Uint8Array(volumeSize);
    for (let low = 0; low < volumeSize; low++) {
      const code = volume[name].codes[low] as number;
      if (code > 0) codes[low] = codeOf[code - 1] ?? 0;
    }
    for (const { page, sets: added } of pages) {
      const first = (page % pagesPerVolume) * pageSize;
      for (const [set, lows] of added) {
        const code = sets.indexOf(set) + 1;
        for (const low of lows) codes[first + low] = Math.max(codes[first + low] as number, code);
      }
    }
    return { ...volume[name], sets, codes };
  };
  return {
    states: merged('states'),
    currencies: merged('currencies'),
    times: { ...volume.times, times },
  };
}

/** Whether two contents of a part are the same. */
function isSame(one: SetPart | TimePart, other: SetPart | TimePart): boolean {
  const setsOf = (part: SetPart | TimePart) => ('sets' in part ? part.sets.join() : '');
  const contentOf = (part: SetPart | TimePart): Uint8Array | Float64Array =>
    'codes' in part ? part.codes : part.times;
  const others = contentOf(other);
  const isEqual = (value: number, index: number) => value === others[index];
  return setsOf(one) === setsOf(other) && contentOf(one).every(isEqual);
}
