/** Lists that were read from end to end when all was at rest: their rows add up to what the table has. */
import { type Call, callKinds, callName, type History, isDone, type ListAnswer, shownBy } from './history.ts';
import { canMatch } from './history-lists.ts';
import type { Life } from './history-lives.ts';

export function sumFaults({ calls, settled }: History, lives: readonly Life[]): string[] {
  const from = settled.at(-1) ?? Number.POSITIVE_INFINITY;
  const lists = calls.filter(
    (call) => call.begin > from && callKinds[call.kind].does === 'list' && isDone(call),
  );
  const wholes = Map.groupBy(lists, ({ kind, query }) =>
    JSON.stringify({ kind, ...query, limit: 0, offset: 0 }),
  );
  return [...wholes.values()].flatMap((pages) => wholeFaults(pages, lives));
}

function wholeFaults(pages: readonly Call[], lives: readonly Life[]): string[] {
  const [first] = pages;
  const query = first?.query;
  if (!first || !query) return [];
  const rows = pages.flatMap(shownBy);
  const records = lives.flatMap(({ resource, states }) => {
    const shown = states.at(-1)?.shown;
    if (resource !== callKinds[first.kind].resource || !shown || !canMatch(query, shown)) return [];
    return query.status === undefined || query.status === shown.status ? [shown] : [];
  });
  const totals = new Set(
    pages.map(({ answer }) => (JSON.parse(answer?.text ?? '') as ListAnswer).pagination.total),
  );
  const faults: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected)
      faults.push(
        `${callName(first)} ${JSON.stringify(query)}, at rest: ${what} ${actual}, records say ${expected}`,
      );
  };
  expect('total', [...totals].join(), String(records.length));
  // Only what began at its beginning was read from end to end.
  if (query.offset !== 0 || rows.length < records.length) return faults;
  for (const name of ['amount', 'amountRefunded'] as const) {
    expect(`sum of ${name}`, sumOf(rows, name), sumOf(records, name));
  }
  return faults;
}

const sumOf = (rows: readonly object[], name: string) =>
  rows.reduce((sum, row) => sum + Number((row as Record<string, unknown>)[name] ?? 0), 0);
