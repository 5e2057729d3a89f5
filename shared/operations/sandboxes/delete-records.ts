/** Deletes the webhook endpoints and the records of a sandbox, and notes the items that exist because of them. */

import { type Owner, type Resource, recordId } from '../../base/ids.ts';
import { statuses } from '../../base/statuses.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import { emailListKey } from '../../domain/customers/record.ts';
import { searchedCustomer } from '../../domain/customers/searched.ts';
import { referenceKey } from '../../domain/invoices/reference-store.ts';
import { bankReferenceKey } from '../../domain/payments/bank-reference-store.ts';
import { searchedRecord } from '../../domain/search/searched-events.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { type Key, pageSize, pagesPerVolume, tableKeys } from '../../store/keys.ts';
import { volumeKeys } from '../../store/lists/volumes/volume-store.ts';
import { totalsKey } from '../../store/lists/volumes/volume-totals.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type Item, readItems } from '../../store/records.ts';
import { searchEntriesOf } from '../../store/search/search-entries.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import { deleteRecords, type EndedSandbox, type RecordToDelete } from './sandbox-store.ts';

/** DynamoDB's limit of a transaction is 100 actions: two for each record, and the check of the profile. */
const recordsPerTransaction = 49;
const chunksAtOnce = 8;
const maxPasses = 20;

/**
 * Deletes all records. Ends with a pass that finds none, because background work can add a record during a pass.
 * @throws Error if records keep changing
 */
export async function deleteAllRecords(sandbox: EndedSandbox): Promise<void> {
  const owner: Owner = { account: sandbox.accountId, mode: 'test' };
  for (let pass = 0; pass < maxPasses; pass++) {
    const found = (await deleteEndpoints(sandbox, owner)) + (await deleteNumbered(sandbox, owner));
    if (found === 0) return;
  }
  throw new Error(`The records of ${sandbox.accountId} keep changing. The next run continues.`);
}

async function deleteEndpoints(sandbox: EndedSandbox, owner: Owner): Promise<number> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.webhook(owner, '').pk },
  });
  return deleteInTransactions(
    sandbox,
    items.map((item) => toDelete(item, [])),
  );
}

async function deleteNumbered(sandbox: EndedSandbox, owner: Owner): Promise<number> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return 0;
  let found = 0;
  for (const resource of Object.keys(statuses) as Resource[]) {
    const seqs = Array.from({ length: numbers.allocated[resource] }, (_, index) => index + 1);
    const deleteChunk = async (chunk: readonly number[]) => {
      const keys = chunk.map((seq) =>
        tableKeys.record(recordId(numbers.idKeys.of(seq), { ...owner, resource }, seq)),
      );
      const items = (await readItems(keys)).filter(({ account }) => account === owner.account);
      const records = await Promise.all(
        items.map(async (item) => toDelete(item, await companionsOf(owner, resource, item))),
      );
      const deleted = await deleteInTransactions(sandbox, records);
      found += deleted;
    };
    await mapInChunks(seqs, recordsPerTransaction * chunksAtOnce, (some) =>
      throwAfterAllSettled(
        Array.from({ length: Math.ceil(some.length / recordsPerTransaction) }, (_, index) =>
          deleteChunk(some.slice(index * recordsPerTransaction, (index + 1) * recordsPerTransaction)),
        ),
      ),
    );
  }
  return found;
}

const toDelete = ({ pk, sk, version }: Item, companions: readonly Key[]): RecordToDelete => ({
  key: { pk: String(pk), sk: String(sk) },
  version,
  companions,
});

/** Deletes records. One that has changed meanwhile, and those beside it, wait for the next pass. Returns how many there were. */
async function deleteInTransactions(
  sandbox: EndedSandbox,
  records: readonly RecordToDelete[],
): Promise<number> {
  await mapInChunks(records, recordsPerTransaction, async (chunk) => {
    if (await deleteRecords(sandbox, chunk)) return;
    for (const record of chunk) await deleteRecords(sandbox, [record]);
  });
  return records.length;
}

/** Returns the keys of the items that exist because of a record, and that no partition of the account contains. */
async function companionsOf(owner: Owner, resource: Resource, item: Item): Promise<Key[]> {
  const page = Math.floor((item.seq as number) / pageSize);
  const filterKeys = [...((item.filterKeys ?? []) as string[])];
  if (resource === 'customer' && item.email) filterKeys.push(await emailListKey(String(item.email)));
  const volume = Math.floor(page / pagesPerVolume);
  const pages = filterKeys.flatMap((filterKey) => [
    tableKeys.indexPage(owner, resource, filterKey, page),
    ...volumeKeys(owner, resource, filterKey, volume),
    totalsKey({ owner, resource, filterKey }, volume),
  ]);
  const id = String(item.pk);
  pages.push(...(await searchKeysOf(owner, resource, item)));
  if (resource === 'payment' || resource === 'refund') {
    const { bank, reference } = item as { bank?: string; reference?: string | null };
    const reserved = reference ? await bankReferenceKey(owner, bank, reference) : undefined;
    return [
      ...pages,
      ...(reserved ? [reserved] : []),
      tableKeys.testProvider(id),
      tableKeys.testProvider(`${id}:reversal`),
    ];
  }
  if (resource === 'statement') return [...pages, ...rowItemsOf(id, item)];
  if (resource === 'schedule') return [...pages, tableKeys.scheduleTemplate(id), ...occurrencesOf(id, item)];
  if (resource !== 'invoice') return pages;
  const { reference } = item as { reference?: string };
  const named = reference === undefined ? [] : [await referenceKey(owner, reference)];
  return [...pages, tableKeys.invoiceNumber(id), ...named];
}

/** Returns the keys of the rows of a statement. */
const rowItemsOf = (id: string, { rowItems }: Item): Key[] =>
  Array.from({ length: Number(rowItems) }, (_, index) => tableKeys.statementRows(id, index + 1));

/** Returns the keys of what came of the times of a schedule. A time that was skipped with others has no item. */
const occurrencesOf = (id: string, { next }: Item): Key[] =>
  Array.from({ length: Number(next) - 1 }, (_, index) => tableKeys.occurrence(id, index + 1));

/** The resources that a search finds. */
const searchedResources: ReadonlySet<Resource> = new Set(['invoice', 'payment', 'refund', 'customer']);

/** Returns the keys of the items by which a search finds a record. */
async function searchKeysOf(owner: Owner, resource: Resource, item: Item): Promise<readonly Key[]> {
  const id = String(item.pk);
  const searched =
    resource === 'customer'
      ? searchedCustomer({ ...item, id } as unknown as Customer)
      : searchedRecord(owner, { ...item, id }, Number(item.createdAt));
  if (!searched || !searchedResources.has(resource)) return [];
  return searchEntriesOf(await tableHasher(), searched).map(({ pk, sk }) => ({ pk, sk }));
}
