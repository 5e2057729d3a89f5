/**
 * Stores the items by which a search finds the records of events. It can be repeated, also in another order: what an event deletes is put
 * again if the record has it. The record is read after the deletion, and changes are relayed after they are committed. So the relay of
 * the change that brought a term back has either not begun, or this one sees the term.
 */
import type { Owner } from '../../base/ids.ts';
import { showInvoice } from '../../domain/invoices/invoice.ts';
import { invoiceType } from '../../domain/invoices/record.ts';
import { entriesAfter, openDecisionEntries, searchedRecord } from '../../domain/search/searched-events.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { deleteItems, putItems } from '../../store/batch-write.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import type { Key } from '../../store/keys.ts';
import { mergeFound, readRecords } from '../../store/records.ts';
import { type SearchEntry, searchEntriesOf } from '../../store/search/search-entries.ts';

/** DynamoDB's limit for one call. */
const idsPerRead = 100;

/** Puts the items that lead to records after the events, and deletes those of former values. @param events oldest first */
export async function storeSearchEntries(
  owner: Owner,
  events: readonly Pick<EventDraft, 'type' | 'body'>[],
): Promise<void> {
  if (events.length === 0) return;
  const hash = await tableHasher();
  const changes = events.map((event) => entriesAfter(hash, owner, event));
  const puts = new Map<string, SearchEntry>();
  const deletes = new Map<string, Key>();
  // Of several changes of a record, the last one decides.
  for (const change of changes) {
    for (const key of change.deletes) {
      puts.delete(nameOf(key));
      deletes.set(nameOf(key), key);
    }
    for (const entry of change.puts) {
      deletes.delete(nameOf(entry));
      puts.set(nameOf(entry), entry);
    }
  }
  await Promise.all([putEntries(owner, [...puts.values()]), deleteItems([...deletes.values()])]);
  if (deletes.size > 0) await putPresent(hash, owner, deletes);
}

/**
 * Puts the deleted items that invoices have now: of former values, and of claims, which a void opens again. Updates of payments delete only
 * what leads to decisions that are taken for good.
 */
async function putPresent(hash: TableHash, owner: Owner, deleted: ReadonlyMap<string, Key>): Promise<void> {
  const named = [...deleted.values()].map(({ sk }) => sk.split('#')[1] ?? '');
  const ids = [...new Set(named)].filter(invoiceType.isId);
  const parts = Array.from({ length: Math.ceil(ids.length / idsPerRead) }, (_, part) =>
    readRecords(invoiceType, owner, ids.slice(part * idsPerRead, (part + 1) * idsPerRead)),
  );
  const { records } = mergeFound(await Promise.all(parts));
  const present = [...records.values()].flatMap((invoice) => [
    ...searchEntriesOf(hash, searchedRecord(owner, invoice, invoice.createdAt)),
    ...openDecisionEntries(hash, owner, showInvoice(invoice)),
  ]);
  await putEntries(
    owner,
    present.filter((entry) => deleted.has(nameOf(entry))),
  );
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const putEntries = ({ account, mode }: Owner, entries: readonly SearchEntry[]): Promise<void> =>
  putItems(entries.map((entry) => ({ ...entry, account, mode })));
