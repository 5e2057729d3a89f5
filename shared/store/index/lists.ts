/**
 * Reads lists. Index pages give the exact total and the rows at any offset. The rows themselves are read from their
 * records.
 *
 * - The rows agree with the filter and with the total. Index pages are read before records, so a record is never older
 *   than its page. If the record has a later status, its page is not updated yet. Then the record's status is laid over
 *   the view, the page is updated, and the rows are selected again.
 * - A number whose record does not exist is no row and is not counted, because the view marks it as absent and the rows
 *   are selected again. The same applies to a record that has left the list, because its customer was erased.
 * - Records of which the pages do not say whether they match a filter are read together with the rows. A page that lacks
 *   facts about them gets these facts.
 */
import { type Owner, recordId } from '../../ids.ts';
import type { IdKeys } from '../account-state.ts';
import { type NumberedRecord, type NumberedType, readRecord, readRecords } from '../records.ts';
import { addIndexEntries } from './add-index-entries.ts';
import { type IndexEntry, indexEntryOf, isKnownStatus, precedenceOf } from './index-pages.ts';
import type { IndexView, StatusFilter } from './index-view.ts';
import { factsOf, type RecordFacts } from './record-facts.ts';
import { chooseReads } from './record-matcher.ts';

/** The number of records that one call reads. */
const batchSize = 100;

type ListedRecord = NumberedRecord & Partial<RecordFacts>;

export interface ListQuery {
  readonly status: StatusFilter;
  readonly offset: number;
  readonly limit: number;
  /** The caller may not write, so index pages that are behind their records stay as they are. */
  readonly isReadOnly?: boolean;
}

/**
 * Reads the rows of a list.
 * @param view the index of the list, read strongly consistent before this call. It is updated from the records.
 * @returns the rows, newest first, and the exact total of matches
 */
export async function listRecords<T extends ListedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  idKeys: IdKeys,
  view: IndexView,
  query: ListQuery,
): Promise<{ rows: T[]; total: number }> {
  const records = new Map<number, T | undefined>();
  for (;;) {
    const { total, seqs, toRead } = selectReads(view, query);
    const unread = [...new Set(toRead)].filter((seq) => !records.has(seq));
    if (unread.length === 0) return { total, rows: seqs.flatMap((seq) => records.get(seq) ?? []) };
    const outdated: IndexEntry[] = [];
    for (const [seq, record] of await readBySeq(type, owner, idKeys, unread)) {
      records.set(seq, record);
      if (isAheadOfPage(type, view, seq, record)) outdated.push(indexEntryOf(type.resource, record));
    }
    if (!query.isReadOnly) await addIndexEntries(owner, outdated);
  }
}

/**
 * Selects the rows of the page, and the records to read: the rows, and those that are undecided. These can turn out not to
 * match, so as many further rows are read with them.
 */
function selectReads(view: IndexView, { status, offset, limit }: ListQuery) {
  const undecided = view.leaveOutOthers(status);
  const page = view.select(status, offset, limit);
  if (!view.matcher || undecided.length === 0) return { ...page, toRead: page.seqs };
  const chosen = chooseReads(view.matcher, undecided);
  if (chosen.length < undecided.length) return { ...page, toRead: chosen };
  const ahead = undecided.filter((seq) => seq >= (page.seqs.at(-1) ?? 0)).length;
  return { ...page, toRead: [...view.select(status, offset, limit + ahead).seqs, ...chosen] };
}

/**
 * Lays what a record says over the view. Returns whether its pages are behind the record: they show an earlier status, or
 * lack facts that the list needs.
 */
function isAheadOfPage<T extends ListedRecord>(
  { resource }: NumberedType<T>,
  view: IndexView,
  seq: number,
  record: T | undefined,
): record is T {
  const { matcher } = view;
  if (!record || !view.filterKeys.every((key) => record.filterKeys.includes(key))) {
    view.overlay(seq, 0);
    return false;
  }
  const facts = factsOf(record);
  const isLackingFacts = facts !== undefined && matcher?.learnRecord(seq, facts) === true;
  const precedence = precedenceOf(resource, record.status);
  const isLater = precedence !== view.precedenceAt(seq);
  view.overlay(seq, matcher?.verdictOf(seq) === 'no match' ? 0 : precedence);
  // The version that knows the status updates the pages.
  return (isLater || isLackingFacts) && isKnownStatus(resource, record.status);
}

/**
 * Reads records by their sequence numbers. If the batch does not return a listed record, it is read again on its own
 * before it counts as absent.
 */
async function readBySeq<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  idKeys: IdKeys,
  seqs: readonly number[],
): Promise<Map<number, T | undefined>> {
  const scope = { ...owner, resource: type.resource };
  const ids = new Map(seqs.map((seq) => [seq, recordId(idKeys.of(seq), scope, seq)]));
  const wanted = [...ids.values()];
  const batches = Array.from({ length: Math.ceil(wanted.length / batchSize) }, (_, batch) =>
    readRecords(type, owner, wanted.slice(batch * batchSize, (batch + 1) * batchSize)),
  );
  const found = new Map((await Promise.all(batches)).flatMap((each) => [...each]));
  const records = new Map<number, T | undefined>();
  for (const [seq, id] of ids) {
    records.set(seq, found.get(id) ?? (await readRecord(type, owner, id)).record);
  }
  return records;
}
