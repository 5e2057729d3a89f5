/**
 * Checks each list response against the model.
 *
 * - A list must contain each change that was announced before the list call started.
 * - A list must not contain a change that started after the list call ended.
 * - A change in between may be in the list or not. This holds for each record separately.
 *
 * These rules bound the total and the position of each row.
 */
import {
  describeCall,
  type ListResponse,
  type RecordedCall,
  type RecordedQuery,
  type Snapshot,
} from './history.ts';
import type { EffectBounds } from './linearization.ts';
import type { Timeline } from './timelines.ts';

const filterFields = ['customerId', 'invoiceId', 'paymentId'] as const;
/** The lists that contain a record: the list of all records, and one list for each filter. */
type FilterKey = 'all' | (typeof filterFields)[number];

export interface ListCandidate {
  readonly timeline: Timeline;
  readonly bounds: EffectBounds;
  /**
   * For each version, by its number, the position from which on every list that starts must show it. The positions
   * differ by filter key, because each filter key has index entries of its own.
   */
  readonly visibleFrom: Readonly<Record<FilterKey, number[]>>;
}

/** @param positions for each version, by its number, the position from which on all lists must show it */
export function toListCandidate(
  timeline: Timeline,
  bounds: EffectBounds,
  positions: readonly number[],
): ListCandidate {
  const visibleFrom = {
    all: [...positions],
    customerId: [...positions],
    invoiceId: [...positions],
    paymentId: [...positions],
  };
  return { timeline, bounds, visibleFrom };
}

/** Records the rows that a list showed. Each later list with the same filter key must show them, too. */
export function recordListedRows(
  candidates: ReadonlyMap<string, ListCandidate>,
  { query, end }: RecordedCall,
  rows: readonly Snapshot[],
): void {
  const filterKeys = filterKeysOf(query);
  for (const { id, status } of rows) {
    const candidate = candidates.get(id);
    if (!candidate) continue;
    const { versions } = candidate.timeline;
    const shownVersion = versions.findIndex(({ snapshot }) => snapshot.status === status) + 1;
    // With several filter keys, each one has the record, but only one of them needs to have its status.
    const certainVersion = filterKeys.length === 1 ? shownVersion : Math.min(shownVersion, 1);
    for (const filterKey of filterKeys) {
      const from = candidate.visibleFrom[filterKey];
      if (certainVersion > 0) from[certainVersion] = Math.min(from[certainVersion] ?? 0, end);
    }
  }
}

function filterKeysOf(query: RecordedQuery | undefined): readonly FilterKey[] {
  const filterKeys = filterFields.filter((name) => query?.[name] !== undefined);
  return filterKeys.length === 0 ? ['all'] : filterKeys;
}

/** Whether a record must be in the list, may be in it, or must not be in it. */
type Match = 'certain' | 'possible' | 'none';

/** @param candidates all records of the owner that the list could show, newest first */
export function listResponseViolations(call: RecordedCall, candidates: readonly ListCandidate[]): string[] {
  const { data, pagination } = JSON.parse(call.response?.text ?? '') as ListResponse;
  const query = call.query as RecordedQuery;
  const violations = [...pageViolations(query, data, pagination), ...rowViolations(query, data)];
  const rowOf = new Map(data.map(({ id }, index) => [id, index]));
  const matches = { certain: 0, possible: 0 };
  let lastRow = -1;
  for (const candidate of candidates) {
    const { id } = candidate.timeline;
    const row = rowOf.get(id);
    const match = matchOf(candidate, call);
    if (row !== undefined) {
      const rank = query.offset + row;
      if (row !== lastRow + 1) violations.push(`${id} is in row ${row}, which breaks the order of the list`);
      if (rank < matches.certain)
        violations.push(`${id} is at position ${rank}, but ${matches.certain} newer records match`);
      if (rank > matches.possible)
        violations.push(`${id} is at position ${rank}, but only ${matches.possible} newer records can match`);
      if (match === 'none') violations.push(`${id} is listed, but cannot match`);
      lastRow = row;
    } else if (match === 'certain' && belongsOnPage(lastRow, data, query)) {
      violations.push(`${id} certainly matches, but is missing after row ${lastRow}`);
    }
    if (match === 'certain') matches.certain += 1;
    if (match !== 'none') matches.possible += 1;
  }
  const { total } = pagination;
  if (total < matches.certain)
    violations.push(`the total is ${total}, but ${matches.certain} records certainly match`);
  if (total > matches.possible)
    violations.push(`the total is ${total}, but only ${matches.possible} records can match`);
  const known = new Set(candidates.map(({ timeline }) => timeline.id));
  for (const { id } of data) if (!known.has(id)) violations.push(`${id} is listed, but does not exist`);
  return violations.map((violation) => `${describeCall(call)} ${JSON.stringify(query)}: ${violation}`);
}

/** Whether a record after `lastRow` must be on this page: between two rows, or at an end that the page reaches. */
function belongsOnPage(lastRow: number, data: readonly unknown[], { offset, limit }: RecordedQuery): boolean {
  if (lastRow === -1) return offset === 0;
  return lastRow < data.length - 1 || data.length < limit;
}

function pageViolations(
  { limit, offset }: RecordedQuery,
  data: readonly unknown[],
  pagination: ListResponse['pagination'],
): string[] {
  const { total, hasMore } = pagination;
  const violations: string[] = [];
  if (pagination.limit !== limit || pagination.offset !== offset)
    violations.push('the response has another limit or offset than the request');
  const expectedRows = Math.min(limit, Math.max(0, total - offset));
  if (data.length !== expectedRows)
    violations.push(`the page has ${data.length} rows, expected ${expectedRows} rows (total ${total})`);
  if (hasMore !== offset + data.length < total)
    violations.push(`hasMore is ${hasMore}, but the total is ${total}`);
  return violations;
}

function rowViolations(query: RecordedQuery, data: readonly Snapshot[]): string[] {
  const ids = new Set(data.map(({ id }) => id));
  const violations = ids.size === data.length ? [] : ['the page shows a row twice'];
  for (const snapshot of data) {
    const { id, status } = snapshot;
    if (query.status !== undefined && status !== query.status)
      violations.push(`the page shows ${id}, whose status is ${status}`);
    for (const name of filterFields) {
      if (!matchesFilter(query, name, snapshot))
        violations.push(`the page shows ${id}, whose ${name} is ${fieldOf(snapshot, name)}`);
    }
  }
  return violations;
}

const fieldOf = (snapshot: Snapshot, name: (typeof filterFields)[number]) =>
  String((snapshot as Partial<Record<typeof name, string>>)[name]);

const matchesFilter = (query: RecordedQuery, name: (typeof filterFields)[number], snapshot: Snapshot) =>
  query[name] === undefined || query[name].toLowerCase() === fieldOf(snapshot, name).toLowerCase();

/** Whether the record can be in the list in some state: it matches all filters except the one by status. */
export const matchesFilters = (query: RecordedQuery, snapshot: Snapshot): boolean =>
  filterFields.every((name) => matchesFilter(query, name, snapshot));

function matchOf(
  { timeline, bounds, visibleFrom }: ListCandidate,
  { query, start, end }: RecordedCall,
): Match {
  const { versions } = timeline;
  const [first] = versions;
  if (!query || !first || !matchesFilters(query, first.snapshot)) return 'none';
  const visibleVersions = filterKeysOf(query).map((filterKey) =>
    visibleFrom[filterKey].findLastIndex((from, version) => version > 0 && from < start),
  );
  // The record is listed if each filter key has it. Its status is the latest one that any filter key has.
  const oldest = Math.min(...visibleVersions) < 1 ? 0 : Math.max(...visibleVersions);
  let matching = 0;
  let others = 0;
  for (let version = oldest; version <= versions.length; version++) {
    if ((bounds.lower[version]?.position ?? 0) > end) break;
    const status = versions[version - 1]?.snapshot.status;
    if (status !== undefined && (query.status === undefined || query.status === status)) matching += 1;
    else others += 1;
  }
  if (matching === 0) return 'none';
  return others === 0 ? 'certain' : 'possible';
}
