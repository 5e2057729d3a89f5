/** Checks the lists that were read from start to end after the system was quiescent: their rows add up to the records. */
import {
  callKinds,
  describeCall,
  type History,
  type ListResponse,
  type RecordedCall,
  readSnapshots,
  wasSuccessful,
} from './history.ts';
import { matchesFilters } from './list-responses.ts';
import type { Timeline } from './timelines.ts';

export function finalListViolations(
  { calls, quiescentAt }: History,
  timelines: readonly Timeline[],
): string[] {
  const from = quiescentAt.at(-1) ?? Number.POSITIVE_INFINITY;
  const lists = calls.filter(
    (call) => call.start > from && callKinds[call.kind].action === 'list' && wasSuccessful(call),
  );
  const pagesByList = Map.groupBy(lists, ({ kind, query }) =>
    JSON.stringify({ kind, ...query, limit: 0, offset: 0 }),
  );
  return [...pagesByList.values()].flatMap((pages) => violationsOfList(pages, timelines));
}

/** @param pages all pages of one list */
function violationsOfList(pages: readonly RecordedCall[], timelines: readonly Timeline[]): string[] {
  const [first] = pages;
  const query = first?.query;
  if (!first || !query) return [];
  const rows = pages.flatMap(readSnapshots);
  const records = timelines.flatMap(({ resource, versions }) => {
    const snapshot = versions.at(-1)?.snapshot;
    if (resource !== callKinds[first.kind].resource || !snapshot || !matchesFilters(query, snapshot))
      return [];
    return query.status === undefined || query.status === snapshot.status ? [snapshot] : [];
  });
  const totals = new Set(
    pages.map(({ response }) => (JSON.parse(response?.text ?? '') as ListResponse).pagination.total),
  );
  const violations: string[] = [];
  const expectEqual = (what: string, actual: unknown, expected: unknown) => {
    if (actual === expected) return;
    const list = `${describeCall(first)} ${JSON.stringify(query)}`;
    violations.push(`${list}, after quiescence: the ${what} is ${actual}, but the records have ${expected}`);
  };
  expectEqual('total', [...totals].join(), String(records.length));
  // Other reads of this list started in the middle, so their rows do not add up.
  if (query.offset !== 0 || rows.length < records.length) return violations;
  for (const name of ['amount', 'amountRefunded'] as const) {
    expectEqual(`sum of ${name}`, sumOf(rows, name), sumOf(records, name));
  }
  return violations;
}

const sumOf = (rows: readonly object[], name: string) =>
  rows.reduce((sum, row) => sum + Number((row as Record<string, unknown>)[name] ?? 0), 0);
