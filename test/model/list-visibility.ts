/**
 * Decides from which position on every list must show a version: after a response announced it, after another list
 * showed it, or after the system was quiescent.
 */
import { callKinds, type History, readSnapshots, type Snapshot, wasSuccessful } from './history.ts';
import type { EffectBounds } from './linearization.ts';
import {
  type ListCandidate,
  listResponseViolations,
  recordListedRows,
  toListCandidate,
} from './list-responses.ts';
import type { Operation } from './operations.ts';
import type { Timeline } from './timelines.ts';

/** Returns the violations of all list responses of the history. */
export function listViolations(
  { calls }: History,
  timelines: readonly Timeline[],
  operations: readonly Operation[],
  boundsOf: (timeline: Timeline) => EffectBounds,
): string[] {
  const announced = announcedFrom(operations);
  const candidates = timelines.map((timeline) =>
    toListCandidate(timeline, boundsOf(timeline), visibleFrom(timeline, boundsOf(timeline), announced)),
  );
  candidates.sort((a, b) => b.timeline.seq - a.timeline.seq);
  const byId = new Map(candidates.map((candidate) => [candidate.timeline.id, candidate]));
  const byResource = Map.groupBy(candidates, ({ timeline }) => timeline.resource);
  const lists = calls.filter((call) => callKinds[call.kind].action === 'list' && wasSuccessful(call));
  for (const call of lists) recordListedRows(byId, call, readSnapshots(call));
  return lists.flatMap((call): string[] => {
    const ofResource: readonly ListCandidate[] = byResource.get(callKinds[call.kind].resource) ?? [];
    return listResponseViolations(call, ofResource);
  });
}

/**
 * Returns the first position at which a successful write had announced that a record has a status, by
 * `<record id> <status>`.
 */
function announcedFrom(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const add = (id: unknown, status: unknown, end: number) =>
    positions.set(`${id} ${status}`, Math.min(positions.get(`${id} ${status}`) ?? end, end));
  for (const { first, responseText, end } of operations) {
    if (responseText === undefined || first.kind === 'update') continue;
    const { id, status, invoiceId } = JSON.parse(responseText) as Snapshot & { invoiceId?: string };
    add(id, status, end);
    if (first.kind === 'replace') add(first.invoice, 'cancelled', end);
    if (first.kind === 'pay' && status === 'completed') add(invoiceId, 'paid', end);
  }
  return positions;
}

/**
 * Returns for each version, by its number, the position from which on every list must show it. A version with the same
 * status as the one before has no position of its own, because lists filter by status only.
 */
function visibleFrom(
  { id, versions }: Timeline,
  { quiescentBy }: EffectBounds,
  announced: ReadonlyMap<string, number>,
): number[] {
  const positions = versions.map(({ snapshot: { status } }, index) => {
    if (versions[index - 1]?.snapshot.status === status) return Number.POSITIVE_INFINITY;
    const announcedAt = announced.get(`${id} ${status}`) ?? Number.POSITIVE_INFINITY;
    return Math.min(quiescentBy[index + 1] ?? Number.POSITIVE_INFINITY, announcedAt);
  });
  return [0, ...positions];
}
