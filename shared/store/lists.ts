/**
 * Lists: exact totals and any offset, from index pages, and the rows themselves from their records.
 *
 * Invariant: the rows agree with the filter and with the total. A record is never older than its page was when
 * it was read; where it shows a later state, its page has not been told yet, so the record's state is laid over
 * the view, the page is told, and the choice is made again.
 */
import { type Owner, recordId } from '../ids.ts';
import type { IdKeys } from './heads.ts';
import { addElement, type IndexView, rankOf } from './index-pages.ts';
import { type NumberedRecord, type NumberedType, readRecord, readRecords } from './records.ts';

export interface ListQuery {
  readonly status: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/**
 * The rows of a list, newest first, and the exact total of matches.
 * @param view the list's index, read strongly consistent
 */
export async function list<T extends NumberedRecord>(
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
    for (const [seq, record] of await read(type, owner, idKeys, unread)) {
      records.set(seq, record);
      await reconcile(type, owner, view, seq, record);
    }
  }
}

/** Lays what the record shows over the view; tells the page if the record is ahead of it. */
async function reconcile<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  view: IndexView,
  seq: number,
  record: T | undefined,
): Promise<void> {
  if (!record) return view.lay(seq, 0);
  const { status, dimensions } = record;
  const rank = rankOf(type.resource, status);
  if (rank === view.rank(seq)) return;
  view.lay(seq, rank);
  await addElement(owner, { resource: type.resource, seq, dimensions, status });
}

/** Records by number. One that is missing though its number is listed is read once more before that is believed. */
async function read<T extends NumberedRecord>(
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
