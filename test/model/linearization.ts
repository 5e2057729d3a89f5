/**
 * Decides whether the versions of all records can be put into one order that respects real time (linearizability).
 *
 * Each version takes effect at one moment. The calls bound that moment on both sides:
 *
 * - An operation cannot take effect before its first call has started.
 * - A call that observed a version started before the next version took effect.
 * - A call that observed a version ended after that version had taken effect.
 * - Versions that one transaction wrote take effect at the same moment, so they share their bounds.
 *
 * Versions of one record differ in `updatedAt`, so an observation names exactly one version. An order therefore exists
 * if and only if each lower bound is before its upper bound.
 */
import type { Snapshot } from './history.ts';
import type { Timeline } from './timelines.ts';

/** What made a version: an operation, the clock or the service. */
export interface Cause {
  /** The version took effect after this position. */
  readonly earliestStart: number;
  /** The call or tick that made the version started at this position or before. */
  readonly latestStart: number;
  /** A clause for violation messages, such as `create call-1 started`. */
  readonly description: string;
}

/** What a call observed: `version` was the current one at some moment between `start` and `end`. */
export interface Observation {
  /** From 1; 0 means that the record did not exist. */
  readonly version: number;
  readonly start: number;
  readonly end: number;
  /** Names the call in violation messages. */
  readonly description: string;
}

interface Bound {
  readonly position: number;
  readonly reason: string;
}

/**
 * The bounds between which each version of one record took effect, by version number. Index 0 stands for the time
 * before the record existed. The version after the last one has infinite bounds: it never took effect.
 */
export interface EffectBounds {
  /** The version took effect after this. */
  readonly lower: Bound[];
  /** The version took effect before this. */
  readonly upper: Bound[];
  /** By this position the version and all work that follows from it were done. */
  readonly quiescentBy: readonly number[];
}

/** One version of one record. */
export interface VersionRef {
  readonly bounds: EffectBounds;
  readonly version: number;
}

/** Returns the number of the version that the snapshot shows, or -1 if the record never had such a version. */
export function findVersion({ versions }: Timeline, snapshot: Snapshot): number {
  const text = JSON.stringify(snapshot);
  const textWithoutTime = JSON.stringify({ ...snapshot, updatedAt: '' });
  const index = versions.findIndex(({ snapshot: known }) =>
    known.updatedAt === '' ? JSON.stringify(known) === textWithoutTime : JSON.stringify(known) === text,
  );
  return index + 1 || -1;
}

/**
 * Computes the bounds of all versions of one record.
 *
 * @param causes the cause of each version, where it is known; version 1 is at index 0
 * @param quiescentAt positions by which everything that had started before was done
 */
export function computeBounds(
  { versions }: Timeline,
  causes: readonly Cause[],
  observations: readonly Observation[],
  quiescentAt: readonly number[],
): EffectBounds {
  const count = versions.length;
  const lower: Bound[] = [startOfHistory];
  const upper: Bound[] = [startOfHistory];
  const quiescentBy: number[] = [0];
  for (let version = 1; version <= count; version++) {
    const { earliestStart = 0, latestStart = 0, description = '' } = causes[version - 1] ?? {};
    lower[version] = { position: earliestStart, reason: description };
    const end = quiescentAt.find((position) => position > latestStart) ?? Number.POSITIVE_INFINITY;
    upper[version] = { position: end, reason: 'the system was quiescent' };
    quiescentBy[version] = end;
  }
  for (const { version, start, end, description } of observations) {
    const nextLower = lower[version + 1];
    if (nextLower && start > nextLower.position)
      lower[version + 1] = {
        position: start,
        reason: `${description} started, which observed version ${version}`,
      };
    const ownUpper = upper[version];
    if (version > 0 && ownUpper && end < ownUpper.position)
      upper[version] = { position: end, reason: `${description} ended, which observed version ${version}` };
  }
  const bounds = { lower, upper, quiescentBy };
  propagateBounds([bounds], []);
  lower[count + 1] = never;
  upper[count + 1] = never;
  return bounds;
}

const startOfHistory: Bound = { position: 0, reason: 'the history started' };
const never: Bound = { position: Number.POSITIVE_INFINITY, reason: 'the version never took effect' };

/** States that `earlier` took effect no later than `later`. */
export interface OrderConstraint {
  readonly earlier: VersionRef;
  readonly later: VersionRef;
}

/** States that both versions took effect in one transaction. */
export const inOneTransaction = (one: VersionRef, other: VersionRef): OrderConstraint[] => [
  { earlier: one, later: other },
  { earlier: other, later: one },
];

/** Carries each bound along the versions of its record and over the constraints, until no bound gets tighter. */
export function propagateBounds(all: readonly EffectBounds[], constraints: readonly OrderConstraint[]): void {
  for (let changed = true; changed; ) {
    changed = false;
    const apply = (earlier: VersionRef, later: VersionRef) => {
      const low = boundAt(earlier.bounds.lower, earlier.version);
      const high = boundAt(later.bounds.upper, later.version);
      if (low.position > boundAt(later.bounds.lower, later.version).position) {
        later.bounds.lower[later.version] = low;
        changed = true;
      }
      if (high.position < boundAt(earlier.bounds.upper, earlier.version).position) {
        earlier.bounds.upper[earlier.version] = high;
        changed = true;
      }
    };
    for (const bounds of all) {
      const count = bounds.quiescentBy.length - 1;
      for (let version = 1; version < count; version++)
        apply({ bounds, version }, { bounds, version: version + 1 });
      for (let version = count - 1; version >= 1; version--)
        apply({ bounds, version }, { bounds, version: version + 1 });
    }
    for (const { earlier, later } of constraints) apply(earlier, later);
  }
}

const boundAt = (bounds: readonly Bound[], version: number): Bound => bounds[version] ?? never;

/** Returns the position after which the version took effect, or Infinity if it never did. */
export const lowerBoundOf = ({ bounds, version }: VersionRef): number =>
  boundAt(bounds.lower, version).position;

/** Returns the position before which the version took effect, or Infinity if it never did. */
export const upperBoundOf = ({ bounds, version }: VersionRef): number =>
  boundAt(bounds.upper, version).position;

/** Returns a violation for each version that could not take effect at any moment. */
export function orderViolations({ id, label, versions }: Timeline, { lower, upper }: EffectBounds): string[] {
  return versions.flatMap(({ change }, index) => {
    const low = lower[index + 1];
    const high = upper[index + 1];
    if (!low || !high || low.position < high.position) return [];
    return [
      `${id} (${label}), version ${index + 1} (${change}) fits nowhere in the order: it took effect before ${high.reason} (position ${high.position}), but after ${low.reason} (position ${low.position})`,
    ];
  });
}
