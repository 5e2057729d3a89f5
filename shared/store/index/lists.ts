/**
 * Reads lists. Index pages give the exact total and the rows at any offset. The rows themselves are read from their
 * records.
 *
 * - The rows agree with the filter and with the total. Index pages are read before records, so a record is never older
 *   than its page. If the record has a later status, its page is not updated yet. Then the record's status is laid over
 *   the view, the page is updated, and the rows are selected again.
 * - A number whose record does not exist is no row and is not counted, because the view marks it as absent and the rows
 *   are selected again. The same applies to a record that has left the list, because its customer was erased.
 */
import { type Owner, recordId } from '../../ids.ts';
import type { IdKeys } from '../account-state.ts';
import { type NumberedRecord, type NumberedType, readRecord, readRecords } from '../records.ts';
import { addIndexEntry } from './add-index-entries.ts';
import { type IndexView, indexEntryOf, isKnownStatus, precedenceOf } from './index-pages.ts';

export interface ListQuery {
  readonly status: string | undefined;
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
export async function listRecords<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  idKeys: IdKeys,
  view: IndexView,
  query: ListQuery,
): Promise<{ rows: T[]; total: number }> {
  const records = new Map<number, T | undefined>();
  for (;;) {
    const { total, seqs } = view.select(query.status, query.offset, query.limit);
    const unread = seqs.filter((seq) => !records.has(seq));
    if (unread.length === 0) return { total, rows: seqs.flatMap((seq) => records.get(seq) ?? []) };
    for (const [seq, record] of await readBySeq(type, owner, idKeys, unread)) {
      records.set(seq, record);
      await reconcileView(type, owner, view, seq, record, query.isReadOnly);
    }
  }
}

/**
 * Lays the record's status over the view. If the record is ahead of its page, updates the page too, unless the caller
 * may not write.
 */
async function reconcileView<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  view: IndexView,
  seq: number,
  record: T | undefined,
  isReadOnly = false,
): Promise<void> {
  if (!record || !view.filterKeys.every((key) => record.filterKeys.includes(key)))
    return view.overlay(seq, 0);
  const precedence = precedenceOf(type.resource, record.status);
  if (precedence === view.precedenceAt(seq)) return;
  view.overlay(seq, precedence);
  // The version that knows the status updates the pages.
  if (!isReadOnly && isKnownStatus(type.resource, record.status))
    await addIndexEntry(owner, indexEntryOf(type.resource, record));
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
  const found = await readRecords(type, owner, [...ids.values()]);
  const records = new Map<number, T | undefined>();
  for (const [seq, id] of ids) {
    records.set(seq, found.get(id) ?? (await readRecord(type, owner, id)).record);
  }
  return records;
}
