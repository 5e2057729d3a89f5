/**
 * Reads lists. Index pages give the exact total and the rows at any offset. The rows themselves are read from their
 * records.
 *
 * - The rows agree with the filter and with the total. Index pages are read before records, so a record is never older
 *   than its page. If the record has a later status, its page is not updated yet. Then the record's status is laid over
 *   the view, the page is updated, and the rows are selected again.
 * - A record whose index shows a last status (`lastStatuses`) is read eventually consistent, which costs half. Such a read can
 *   return an old copy. A copy with a last status shows what the present record shows, because nothing of that changes any more.
 *   Without a copy, or if the copy has another status or is not in the list, the next round reads strongly consistent.
 * - The void of a payment that paid an invoice changes what the paid invoice shows, and not its status. So a list can show for about a
 *   second what the invoice was before. The invoice that replaces it is read strongly consistent.
 * - An erasure does change what such a record shows. It ends at least 100 seconds after its last change of a record
 *   (`lateWriteMs`), and a copy is usually complete within one second. So a list after an erasure does not show what it erased.
 * - A number whose record does not exist is no row and is not counted, because the view marks it as absent and the rows
 *   are selected again. The same applies to a record that has left the list, because its customer was erased. The next round
 *   then reads ahead, because an erasure moves many records at once. A page is complete as soon as its own rows are known.
 * - A malformed record counts as the pages show it, and its row is left out (`left-out-items.ts`). So one record never makes a list
 *   fail, and the offsets of the others stay the same. If the pages do not say whether it matches a filter, it counts, too.
 * - Records of which the pages do not say whether they match a filter are read together with the rows. A page that lacks
 *   facts about them gets these facts.
 */
import { type Owner, recordId } from '../../../base/ids.ts';
import type { Principal } from '../../account-state.ts';
import { leaveOutMalformed } from '../../left-out-items.ts';
import {
  type Consistency,
  type FoundRecords,
  mergeFound,
  type NumberedRecord,
  type NumberedType,
  readRecord,
  readRecords,
} from '../../records.ts';
import { MalformedItemError } from '../../stored-fields.ts';
import { factsOf, type RecordFacts } from '../filters/record-facts.ts';
import { chooseReads } from '../filters/record-matcher.ts';
import { addIndexEntries } from './add-index-entries.ts';
import {
  type IndexEntry,
  indexEntryOf,
  isKnownStatus,
  precedenceOf,
  statusAtPrecedence,
} from './index-pages.ts';
import type { IndexView, Selection } from './index-view.ts';

/** The number of records that one call reads. */
const batchSize = 100;
/**
 * How many records after the page a round loads, by the number of rounds with losses before it. An erasure removes records from a
 * list in chunks of 100, so the second round finds the rows of a page in most cases. The third one does even if the erasure has
 * changed thousands since the index was read.
 */
const loadedAfterPage = [0, 200] as const;
const maxLoadedAfterPage = 10_000;

type ListedRecord = NumberedRecord & Partial<RecordFacts>;

export interface ListQuery extends Selection {
  /** Is called with the ids of records that are read. */
  readonly onRead?: ((ids: readonly string[]) => void) | undefined;
  /** The caller may not write, so index pages that are behind their records stay as they are. */
  readonly isReadOnly?: boolean;
}

/**
 * Reads the rows of a list.
 * @param principal the clock of the account decides which times follow from the order of the numbers, see `IndexView.atClock`
 * @param index the index of the list, read strongly consistent before this call. It is completed for the page, and updated from
 *   the records.
 * @returns the rows in the order of the query, and the exact total of matches. `count` also has the malformed records of the page,
 *   which are no rows.
 */
export async function listRecords<T extends ListedRecord>(
  type: NumberedType<T>,
  { owner, idKeys, clock }: Pick<Principal, 'owner' | 'idKeys' | 'clock'>,
  index: IndexView,
  query: ListQuery,
): Promise<{ rows: T[]; total: number; count: number }> {
  const view = await index.atClock(clock);
  const records = new Map<number, T | MalformedItemError | undefined>();
  const isUnread = (seq: number) => !records.has(seq);
  let roundsWithLosses = 0;
  let consistency: Consistency = 'eventual';
  let outdated: readonly IndexEntry[] = [];
  for (;;) {
    const following = loadedAfterPage[roundsWithLosses] ?? maxLoadedAfterPage;
    await view.readFor({ ...query, limit: query.limit + following });
    const { total, seqs, needed, toRead } = selectReads(view, query, following);
    if (!needed.some(isUnread)) {
      await addIndexEntries(owner, outdated);
      const found = seqs.map((seq) => records.get(seq)).filter((record) => record !== undefined);
      return { total, rows: leaveOutMalformed(found), count: found.length };
    }
    const unread = [...new Set(toRead)].filter(isUnread);
    const reading = readBySeq(type, { owner, idKeys }, view, unread, consistency);
    query.onRead?.(unread.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: type.resource }, seq)));
    const [read] = await Promise.all([reading, addIndexEntries(owner, outdated)]);
    if (read.hasLosses) roundsWithLosses += 1;
    if (read.hasLosses || read.known.size < unread.length) consistency = 'strong';
    const ahead: IndexEntry[] = [];
    for (const [seq, record] of read.known) {
      records.set(seq, record);
      if (record instanceof MalformedItemError) view.matcher?.learnMalformed(seq);
      else if (isAheadOfPage(type, view, seq, record)) ahead.push(indexEntryOf(type.resource, record));
    }
    // While a customer is erased, lists have enough to read. The relay adds these entries, too.
    outdated = query.isReadOnly || roundsWithLosses > 0 ? [] : ahead;
  }
}

/**
 * Selects the rows of the page, and the records to read.
 * @param following how many records that follow the rows are read with them, if a row is unread
 * @returns `needed`: without these records, the page is not known. These are the rows, and the records that are undecided, which
 *   can turn out not to match. So as many further rows are read with them.
 */
function selectReads(view: IndexView, { status, offset, limit, order }: ListQuery, following: number) {
  const undecided = view.leaveOutOthers(status);
  const select = (count: number) => view.select(status, offset, count, order);
  const page = select(limit);
  if (!view.matcher || undecided.length === 0)
    return { ...page, needed: page.seqs, toRead: select(limit + following).seqs };
  const chosen = chooseReads(view.matcher, undecided);
  const last = page.seqs.at(-1);
  const isBefore = (seq: number) => last === undefined || (order === 'oldest' ? seq <= last : seq >= last);
  const before = undecided.filter(isBefore).length;
  const needed = chosen.length < undecided.length ? chosen : [...select(limit + before).seqs, ...chosen];
  return { ...page, needed, toRead: needed };
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
  if (!record || hasLeft(view, record)) {
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

interface RoundOfReads<T> {
  /** By sequence number. Undefined: there is no such record. Numbers are left out if only an outdated copy was read. */
  readonly known: ReadonlyMap<number, T | MalformedItemError | undefined>;
  /** Some of the records are not in the list, or do not exist. */
  readonly hasLosses: boolean;
}

/**
 * Reads records by their sequence numbers.
 * @param consistency how those are read whose status is a last one. All others are read strongly consistent.
 */
async function readBySeq<T extends NumberedRecord>(
  type: NumberedType<T>,
  { owner, idKeys }: Pick<Principal, 'owner' | 'idKeys'>,
  view: IndexView,
  seqs: readonly number[],
  consistency: Consistency,
): Promise<RoundOfReads<T>> {
  const { resource, lastStatuses = [] } = type;
  const isLast = (status: string | undefined) => status !== undefined && lastStatuses.includes(status);
  const ids = new Map(seqs.map((seq) => [seq, recordId(idKeys.of(seq), { ...owner, resource }, seq)]));
  const isCopyEnough = (seq: number) =>
    consistency === 'eventual' && isLast(statusAtPrecedence(resource, view.precedenceAt(seq)));
  const fromCopies = seqs.filter(isCopyEnough);
  const others = seqs.filter((seq) => !isCopyEnough(seq));
  const idsOf = (some: readonly number[]) => some.map((seq) => ids.get(seq) ?? '');
  const [copies, found] = await Promise.all([
    readBatches(type, owner, idsOf(fromCopies), 'eventual'),
    readBatches(type, owner, idsOf(others), 'strong'),
  ]);
  const strong = new Map<string, T | MalformedItemError>([...found.records, ...found.malformed]);
  const records = others.map(async (seq) => {
    const id = ids.get(seq) ?? '';
    // A listed record that a batch does not return is read again on its own before it counts as absent.
    return [seq, strong.get(id) ?? (await readRecord(type, owner, id)).record] as const;
  });
  const known = new Map<number, T | MalformedItemError | undefined>(await Promise.all(records));
  let hasLosses = [...known.values()].some((record) => hasLeft(view, record));
  for (const seq of fromCopies) {
    const copy = copies.records.get(ids.get(seq) ?? '');
    if (copy && hasLeft(view, copy)) hasLosses = true;
    else if (copy && isLast(copy.status)) known.set(seq, copy);
  }
  return { known, hasLosses };
}

/** Whether a record belongs to the lists of a view no more, or does not exist. */
function hasLeft(
  { filterKeys }: IndexView,
  record: NumberedRecord | MalformedItemError | undefined,
): boolean {
  if (record instanceof MalformedItemError) return false;
  return record === undefined || !filterKeys.every((key) => record.filterKeys.includes(key));
}

/** Reads records by id, in parallel calls. Returns those that exist. */
async function readBatches<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
  consistency: Consistency,
): Promise<FoundRecords<T>> {
  const batches = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, batch) =>
    readRecords(type, owner, ids.slice(batch * batchSize, (batch + 1) * batchSize), consistency),
  );
  return mergeFound(await Promise.all(batches));
}
