/**
 * Erases the documents of invoices. Their numbers, amounts, taxes, days and sellers stay, and so does the hash of what they said when
 * they were issued.
 */
import type { Owner } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import { eraseDocument } from '../../domain/documents/document-erasure.ts';
import { toInvoiceNumber } from '../../domain/documents/document-item.ts';
import { customerFilterKey } from '../../domain/invoices/record.ts';
import { tableKeys } from '../../store/keys.ts';
import { type Item, readItems } from '../../store/records.ts';
import { rewriteItem } from '../../store/rewrite-item.ts';
import { mapInChunks } from '../reconciliation/reconciliation-store.ts';
import { type RecordsOf, type RecordsPass, readListedIds } from './records.ts';

const batchSize = 100;
const callsAtOnce = 16;

/**
 * Erases the documents of the customer's invoices. The invoices of a customer that was found by its e-mail address have its ID, and
 * stay. Their documents lose what they have from the customer.
 * @param records the erased records
 * @param customers the deleted customers
 * @returns how many documents changed
 * @throws MalformedItemError if a document, or what is noted of the documents of an invoice, cannot be read
 */
export async function eraseDocuments(
  scope: RecordsOf,
  records: RecordsPass['records'],
  customers: readonly Customer[],
): Promise<number> {
  const invoices = [...records].flatMap(([id, { resource }]) => (resource === 'invoice' ? [id] : []));
  let changed = await eraseOfInvoices(scope, invoices, scope.erasure.pseudonym);
  for (const { id } of customers) {
    const ids = await readListedIds(scope.owner, 'invoice', await customerFilterKey(id));
    const others = ids.filter((invoice) => !records.has(invoice));
    changed += await eraseOfInvoices(scope, others, undefined);
  }
  return changed;
}

async function eraseOfInvoices(
  { owner, dryRun }: RecordsOf,
  invoices: readonly string[],
  pseudonym: string | undefined,
): Promise<number> {
  const limited = limitConcurrency(callsAtOnce);
  const plan = (item: Item) => eraseDocument(item, pseudonym);
  let changed = 0;
  const eraseOne = async (item: Item) => {
    if (dryRun ? plan(item) : await rewriteItem(item, plan)) changed += 1;
  };
  const eraseSome = async (items: readonly Item[]) =>
    throwAfterAllSettled(items.map((item) => limited(() => eraseOne(item))));
  await mapInChunks(invoices, batchSize, async (chunk) => {
    const numbers = await readItems(chunk.map(tableKeys.invoiceNumber));
    const ids = numbers.flatMap((number) => toInvoiceNumber(number).documents);
    await mapInChunks(ids, batchSize, async (some) => eraseSome(await readDocuments(owner, some)));
  });
  return changed;
}

const readDocuments = (owner: Owner, ids: readonly string[]) =>
  readItems(ids.map((id) => tableKeys.document(owner, id)));
