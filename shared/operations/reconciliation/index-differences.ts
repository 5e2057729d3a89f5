/** Finds the records of a page that the lists show wrongly. Pure. */

import { pageSize } from '../../store/keys.ts';
import { isKnownStatus, precedenceOf, statusAtPrecedence } from '../../store/lists/pages/index-pages.ts';
import type { NumberedRecord } from '../../store/records.ts';
import type { MalformedItemError } from '../../store/stored-fields.ts';
import type { Difference } from './difference.ts';
import type { Facts } from './facts.ts';

/** Compares the page's records with the lists, and finds numbers that are used but not allocated. */
export function findIndexDifferences(facts: Facts): Difference[] {
  return [...facts.ids].flatMap(([seq, id]) => {
    const shown = shownIn(facts, seq);
    const record: NumberedRecord | undefined = facts.records.get(id);
    // Only a newer version can judge its own statuses.
    if (record && !isKnownStatus(facts.resource, record.status)) return [];
    const malformed = facts.malformed.get(id);
    if (malformed) return [malformedDifference(facts, seq, malformed)];
    const found = record ? recordDifferences(facts, record, shown) : absenceDifferences(facts, shown);
    if (seq > facts.allocated && (record || shown.size > 0)) {
      found.push({ rule: 'number_not_allocated', expected: `at most ${facts.allocated}`, found: seq });
    }
    const { account, mode, resource } = facts;
    return found.map((difference) => ({ account, mode, resource, seq, id, ...difference, evidence: '' }));
  });
}

type Found = Pick<Difference, 'rule' | 'expected' | 'found'>;

/** The lists of a malformed record are not compared, because it does not say which ones they are. */
function malformedDifference(
  { account, mode, resource }: Facts,
  seq: number,
  { item: id, problem }: MalformedItemError,
): Difference {
  const rule = 'record_malformed';
  return { account, mode, resource, seq, id, rule, expected: 'a record', found: problem, evidence: '' };
}

/** Returns the precedence of a number, by the list that contains it. */
function shownIn({ lists }: Facts, seq: number): Map<string, number> {
  const precedences = [...lists].map(([list, page]) => [list, page[seq % pageSize] ?? 0] as const);
  return new Map(precedences.filter(([, precedence]) => precedence > 0));
}

/** Checks that each list of the record shows its status, and that no other list contains it. */
function recordDifferences(
  { resource }: Facts,
  { status, filterKeys }: NumberedRecord,
  shown: ReadonlyMap<string, number>,
): Found[] {
  const precedence = precedenceOf(resource, status);
  const own = ['', ...filterKeys];
  const behind = own.filter((list) => (shown.get(list) ?? 0) < precedence);
  const early = [...shown].filter(([list, each]) => each > precedence || !own.includes(list));
  const text = (lists: readonly string[]) =>
    textOf(
      resource,
      lists.map((list) => [list, shown.get(list) ?? 0]),
    );
  return [
    ...(behind.length > 0 ? [{ rule: 'index_behind', expected: status, found: text(behind) } as const] : []),
    ...(early.length > 0
      ? [{ rule: 'index_ahead', expected: status, found: text(early.map(([list]) => list)) } as const]
      : []),
  ];
}

/** A number without a record is normal, because a request can crash. But a list must not show such a number. */
function absenceDifferences({ resource }: Facts, shown: ReadonlyMap<string, number>): Found[] {
  if (shown.size === 0) return [];
  return [{ rule: 'record_missing', expected: 'a record', found: textOf(resource, [...shown]) }];
}

/** Returns a text such as `pending in all, nothing in customer`. It names the filter of a list, but not its value. */
function textOf(
  resource: Facts['resource'],
  precedences: readonly (readonly [list: string, precedence: number])[],
): string {
  const parts = precedences.map(
    ([list, precedence]) =>
      `${statusAtPrecedence(resource, precedence) ?? 'nothing'} in ${list.split('#')[1] ?? 'all'}`,
  );
  return [...new Set(parts)].sort().join(', ');
}
