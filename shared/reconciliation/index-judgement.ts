/** Whether lists show each record of a page of numbers as it is. Pure. */
import { rankOf, statusOf } from '../store/index-pages.ts';
import { pageSize } from '../store/keys.ts';
import type { NumberedRecord } from '../store/records.ts';
import type { Difference } from './difference.ts';
import type { Facts } from './facts.ts';

/** What the lists show too little or too much of the page's records; and numbers that were used without being drawn. */
export function indexDifferences(facts: Facts): Difference[] {
  return [...facts.ids].flatMap(([seq, id]) => {
    const shown = shownIn(facts, seq);
    const record: NumberedRecord | undefined = facts.records.get(id);
    const found = record ? recordDifferences(facts, record, shown) : absenceDifferences(facts, shown);
    if (seq > facts.drawn && (record || shown.size > 0)) {
      found.push({ rule: 'number_not_drawn', expected: `at most ${facts.drawn}`, found: seq });
    }
    const { account, mode, resource } = facts;
    return found.map((difference) => ({ account, mode, resource, seq, id, ...difference, evidence: '' }));
  });
}

type Found = Pick<Difference, 'rule' | 'expected' | 'found'>;

/** The rank in each list that knows the number. */
function shownIn({ lists }: Facts, seq: number): Map<string, number> {
  const ranks = [...lists].map(([list, page]) => [list, page[seq % pageSize] ?? 0] as const);
  return new Map(ranks.filter(([, rank]) => rank > 0));
}

/** The strongest state that a list shows must be the record's, in its own lists, and in no others. */
function recordDifferences(
  { resource }: Facts,
  { status, dimensions }: NumberedRecord,
  shown: ReadonlyMap<string, number>,
): Found[] {
  const rank = rankOf(resource, status);
  const own = ['', ...dimensions];
  const behind = own.filter((list) => (shown.get(list) ?? 0) < rank);
  const ahead = [...shown].filter(([list, each]) => each > rank || !own.includes(list));
  const text = (lists: readonly string[]) =>
    textOf(
      resource,
      lists.map((list) => [list, shown.get(list) ?? 0]),
    );
  return [
    ...(behind.length > 0 ? [{ rule: 'index_behind', expected: status, found: text(behind) } as const] : []),
    ...(ahead.length > 0
      ? [{ rule: 'index_ahead', expected: status, found: text(ahead.map(([list]) => list)) } as const]
      : []),
  ];
}

/** A number without a record is fine, as a request can die; one that a list shows had one. */
function absenceDifferences({ resource }: Facts, shown: ReadonlyMap<string, number>): Found[] {
  if (shown.size === 0) return [];
  return [{ rule: 'record_missing', expected: 'a record', found: textOf(resource, [...shown]) }];
}

/** Such as `pending in all, nothing in customer`: of a dimension its kind alone. */
function textOf(
  resource: Facts['resource'],
  ranks: readonly (readonly [list: string, rank: number])[],
): string {
  const parts = ranks.map(
    ([list, rank]) => `${statusOf(resource, rank) ?? 'nothing'} in ${list.split('#')[1] ?? 'all'}`,
  );
  return [...new Set(parts)].sort().join(', ');
}
