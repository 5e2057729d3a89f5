/**
 * Whether the states of resources can be put into an order that respects real time. Every state has a moment of its
 * own; what calls were answered bounds those moments from both sides, and states that came about together share
 * theirs. As states are told apart by `updatedAt`, the bounds decide: there is an order if and only if every lower
 * bound lies before its upper one.
 */
import type { Shown } from './history.ts';
import type { Life } from './history-lives.ts';

/** A state came about after `after`, by a call that began at `latest` or before. */
export interface Making {
  readonly after: number;
  readonly latest: number;
  readonly by: string;
}

/** What a call saw of a resource: version `version` (from 1; 0: none) was the present one between begin and end. */
export interface Sight {
  readonly version: number;
  readonly begin: number;
  readonly end: number;
  readonly by: string;
}

interface Bound {
  readonly place: number;
  readonly by: string;
}

/** The moment of each version, from 1; the entry of a version that never came is infinite. */
export interface Moments {
  /** It came after this. */
  readonly after: Bound[];
  /** It came before this. */
  readonly before: Bound[];
  /** By then it had come, and all that follows from it. */
  readonly settled: readonly number[];
}

/** One version of one resource. */
export interface Place {
  readonly moments: Moments;
  readonly version: number;
}

/** The version that is shown, or -1: the resource has never been like that. */
export function versionOf({ states }: Life, shown: Shown): number {
  const text = JSON.stringify(shown);
  const timeless = JSON.stringify({ ...shown, updatedAt: '' });
  const index = states.findIndex(({ shown: state }) =>
    state.updatedAt === '' ? JSON.stringify(state) === timeless : JSON.stringify(state) === text,
  );
  return index + 1 || -1;
}

/** @param settled places by which everything that had begun before has come to its end */
export function momentsOf(
  { states }: Life,
  makings: readonly Making[],
  sights: readonly Sight[],
  settled: readonly number[],
): Moments {
  const count = states.length;
  const after: Bound[] = [{ place: 0, by: 'the beginning' }];
  const before: Bound[] = [{ place: 0, by: 'the beginning' }];
  const settledBy: number[] = [0];
  for (let version = 1; version <= count; version++) {
    const { after: place = 0, latest = 0, by = '' } = makings[version - 1] ?? {};
    after[version] = { place, by: `${by} began` };
    const end = settled.find((settlement) => settlement > latest) ?? Number.POSITIVE_INFINITY;
    before[version] = { place: end, by: 'everything had settled' };
    settledBy[version] = end;
  }
  for (const { version, begin, end, by } of sights) {
    const next = after[version + 1];
    if (next && begin > next.place)
      after[version + 1] = { place: begin, by: `${by} began and saw ${version}` };
    const own = before[version];
    if (version > 0 && own && end < own.place)
      before[version] = { place: end, by: `${by} ended and saw ${version}` };
  }
  const moments = { after, before, settled: settledBy };
  tighten([moments], []);
  after[count + 1] = { place: Number.POSITIVE_INFINITY, by: 'it never came' };
  before[count + 1] = { place: Number.POSITIVE_INFINITY, by: 'it never came' };
  return moments;
}

/** That `first` came no later than `next`. */
export interface Link {
  readonly first: Place;
  readonly next: Place;
}

/** That two versions came about in one transaction. */
export const together = (one: Place, other: Place): Link[] => [
  { first: one, next: other },
  { first: other, next: one },
];

/** Carries every bound on, along the versions of each resource and over the links, until nothing gets tighter. */
export function tighten(all: readonly Moments[], links: readonly Link[]): void {
  for (let changed = true; changed; ) {
    changed = false;
    const pass = (first: Place, next: Place) => {
      const low = bound(first.moments.after, first.version);
      const high = bound(next.moments.before, next.version);
      if (low.place > bound(next.moments.after, next.version).place) {
        next.moments.after[next.version] = low;
        changed = true;
      }
      if (high.place < bound(first.moments.before, first.version).place) {
        first.moments.before[first.version] = high;
        changed = true;
      }
    };
    for (const moments of all) {
      const count = moments.settled.length - 1;
      for (let version = 1; version < count; version++)
        pass({ moments, version }, { moments, version: version + 1 });
      for (let version = count - 1; version >= 1; version--)
        pass({ moments, version }, { moments, version: version + 1 });
    }
    for (const { first, next } of links) pass(first, next);
  }
}

const bound = (bounds: readonly Bound[], version: number): Bound =>
  bounds[version] ?? { place: Number.POSITIVE_INFINITY, by: 'it never came' };

/** The place after which the version came; infinite if it never did. */
export const afterOf = ({ moments, version }: Place): number => bound(moments.after, version).place;

/** The place before which the version came; infinite if it never did. */
export const beforeOf = ({ moments, version }: Place): number => bound(moments.before, version).place;

/** The versions for which there is no moment. */
export function orderFaults({ id, name, states }: Life, { after, before }: Moments): string[] {
  return states.flatMap(({ type }, index) => {
    const low = after[index + 1];
    const high = before[index + 1];
    if (!low || !high || low.place < high.place) return [];
    const version = `${id} (${name}), version ${index + 1} (${type})`;
    return [
      `${version} must have come before ${high.by} (${high.place}), and after ${low.by} (${low.place})`,
    ];
  });
}
