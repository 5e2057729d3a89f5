/** Reads the journal. `journal-item.ts` says how it is written. */
import type * as v from 'valibot';
import type { Owner } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import { toTimestamp } from '../../base/time.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import type { journalSchema, ListJournal, ShownJournalEntry } from './journal.ts';
import { positionOf, type StoredJournalEntry, toJournalEntry } from './journal-item.ts';

/**
 * Returns a page of the journal, oldest first. If no entry follows, `next` is `after` itself, so that a client can always continue
 * from `next`. Entries that cannot be read are left out, and named in the log and in the answer.
 */
export async function listJournalPage(
  owner: Owner,
  { limit, after }: ListJournal,
): Promise<v.InferOutput<typeof journalSchema>> {
  const data: ShownJournalEntry[] = [];
  let next = after ?? null;
  for await (const item of readJournal(owner, Number(after ?? 0), limit + 1)) {
    if (data.length === limit) return { data, cursor: { hasMore: true, next } };
    const entry = parseOrError(item, toJournalEntry);
    if (entry instanceof MalformedItemError) noteLeftOut([entry]);
    else data.push(showEntry(positionOf(item), entry));
    next = String(positionOf(item));
  }
  return { data, cursor: { hasMore: false, next } };
}

/** Reads the items of the entries after a position, oldest first, strongly consistent. @param step how many one query reads */
export async function* readJournal(owner: Owner, after: number, step?: number): AsyncGenerator<Item> {
  const { pk, sk } = tableKeys.journalEntry(owner, after);
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': pk, ':after': sk },
    ...(step !== undefined && { Limit: step }),
  }))
    yield* items;
}

/** Returns an entry as the API shows it. */
export function showEntry(
  position: number,
  { at, event, resource, invoice, entries }: StoredJournalEntry,
): ShownJournalEntry {
  return {
    position,
    timestamp: toTimestamp(at),
    event,
    resource,
    invoiceId: invoice ?? null,
    lines: entries.map(({ account, currency, amount }) => ({
      account,
      currency: currency as Currency,
      amount,
    })),
  };
}
