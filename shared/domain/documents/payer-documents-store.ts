/** Reads the documents of an invoice that its payer may see: the last issue of the invoice, and its newest credit notes. */
import type { Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { readItem, readItems } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type InvoiceNumber, type StoredDocument, toDocument, toInvoiceNumber } from './document-item.ts';

/** What a payer sees. A document that cannot be read is left out. */
export interface PayerDocuments {
  readonly number: string;
  /** The last issue of the invoice. */
  readonly current: StoredDocument | undefined;
  /** In the order of their issue. */
  readonly creditNotes: readonly StoredDocument[];
}

/** An invoice with more credit notes than this shows the newest ones. It bounds what one page reads. */
const maxNewest = 12;

/**
 * Reads the documents of an invoice in one call.
 * @param issued what is known of them. Undefined: there are none, and no call is made.
 */
export async function readPayerDocuments(
  owner: Owner,
  issued: InvoiceNumber | undefined,
): Promise<PayerDocuments | undefined> {
  if (!issued) return undefined;
  const { number, lastIssue, credited } = issued;
  const newest = credited ? issued.documents.slice(-maxNewest) : [];
  const ids = [...new Set([lastIssue, ...newest])];
  const items = await readItems(ids.map((id) => tableKeys.document(owner, id)));
  const documents = leaveOutMalformed(items.map((item) => parseOrError(item, toDocument)));
  return {
    number,
    current: documents.find(({ id }) => id === lastIssue),
    creditNotes: documents
      .filter(({ kind }) => kind === 'credit_note')
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

/** Reads the documents of an invoice that was read without its number, in two calls. */
export async function readDocumentsOfInvoice(
  invoice: Pick<Invoice, 'id' | keyof Owner>,
): Promise<PayerDocuments | undefined> {
  const item = await readItem(tableKeys.invoiceNumber(invoice.id));
  const [issued] = leaveOutMalformed(item ? [parseOrError(item, toInvoiceNumber)] : []);
  return readPayerDocuments(invoice, issued);
}
