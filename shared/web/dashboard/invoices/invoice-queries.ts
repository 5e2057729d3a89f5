/** Reads what the pages of invoices show. Writes nothing. */

import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { toInvoiceNumber } from '../../../domain/documents/document-item.ts';
import { InvoiceNumbers, readInvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { type PayerDocuments, readPayerDocuments } from '../../../domain/documents/payer-documents-store.ts';
import { findEvents } from '../../../domain/events/log-store.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { findInvoices, listInvoices } from '../../../domain/invoices/found-invoices.ts';
import {
  type Invoice,
  type ListInvoices,
  type ShownInvoice,
  showInvoice,
} from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { invoiceType } from '../../../domain/invoices/record.ts';
import type { Mail } from '../../../domain/mails/mail.ts';
import { readMailIds, readMails } from '../../../domain/mails/mail-store.ts';
import { readPaymentIndex } from '../../../domain/payments/payment-store.ts';
import { paymentType } from '../../../domain/payments/record.ts';
import { refundType } from '../../../domain/refunds/record.ts';
import { readRefundIndex } from '../../../domain/refunds/refund-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { tableKeys } from '../../../store/keys.ts';
import { leaveOutMalformed } from '../../../store/left-out-items.ts';
import type { Selection } from '../../../store/lists/pages/index-view.ts';
import { listRecords } from '../../../store/lists/pages/lists.ts';
import { readItem, readRecords } from '../../../store/records.ts';
import { parseOrError } from '../../../store/stored-fields.ts';
import { readSuppressed } from './suppressed-addresses.ts';
import { type InvoiceTimeline, timelineOf } from './timeline.ts';

/**
 * Reads a page of the list of invoices, with the exact total. Two calls in sequence.
 * @param onRead is called with the ids of the invoices that are read
 */
export async function readInvoices(
  owner: Owner,
  query: ListInvoices & Pick<Selection, 'order'>,
  now: Instant,
  onRead?: (ids: readonly string[]) => void,
) {
  const [{ principal }, source] = await Promise.all([
    readAccountUsage(owner, now),
    findInvoices(owner, query),
  ]);
  return listInvoices(principal, source, { ...query, isReadOnly: true, onRead });
}

/** Reads a page of the list of invoices as `readInvoices`, with the number of each in its first column. */
export async function readNumberedInvoices(
  owner: Owner,
  query: ListInvoices & Pick<Selection, 'order'>,
  now: Instant,
) {
  const numbers = new InvoiceNumbers(owner);
  const page = await numbers.addTo(await readInvoices(owner, query, now, numbers.onRead));
  return { ...page, data: page.data.map((row) => ({ number: row.number ?? null, ...row })) };
}

/** Reads up to 100 invoices with their numbers, in the order of the ids. Those that do not exist or cannot be read are left out. */
export async function readSelectedInvoices(owner: Owner, ids: readonly string[]): Promise<ShownInvoice[]> {
  const [{ records }, numbers] = await Promise.all([
    readRecords(invoiceType, owner, ids),
    readInvoiceNumbers(owner, ids),
  ]);
  return ids.flatMap((id) => {
    const record = records.get(id);
    return record ? [showInvoice(record, numbers.get(id))] : [];
  });
}

/** The payments or refunds that the page of an invoice shows, newest first. */
const newest = { status: undefined, offset: 0, limit: 20, isReadOnly: true };

export interface InvoiceDetail extends InvoiceTimeline {
  readonly invoice: Invoice;
  readonly names: CustomerNames;
  /** Undefined: none is issued. */
  readonly documents: PayerDocuments | undefined;
  /** How many payments and refunds the moments do not show, because there are too many. */
  readonly hidden: number;
  /** The events that exist, by id. They expire after 30 days. */
  readonly events: ReadonlySet<string>;
  /** The addresses of mails to which the account sends nothing any more. */
  readonly suppressed: ReadonlySet<string>;
}

/**
 * Reads an invoice with its payments, refunds and events, and the name of its customer. Three calls in sequence.
 * @returns undefined if the owner has no such invoice
 */
export async function readInvoiceDetail(
  owner: Owner,
  id: string,
  now: Instant,
): Promise<InvoiceDetail | undefined> {
  if (!invoiceType.isId(id)) return undefined;
  const filter = { invoiceId: id };
  const [{ record: invoice }, numbered, { principal }, paymentIndex, refundIndex, mailIds] =
    await Promise.all([
      readInvoice(owner, id),
      readItem(tableKeys.invoiceNumber(id)),
      readAccountUsage(owner, now),
      readPaymentIndex(owner, { ...filter, customerId: undefined }),
      readRefundIndex(owner, { ...filter, paymentId: undefined }),
      readMailIds(id),
    ]);
  if (!invoice) return undefined;
  const [issued] = leaveOutMalformed(numbered ? [parseOrError(numbered, toInvoiceNumber)] : []);
  const [documents, payments, refunds, mails, names] = await Promise.all([
    readPayerDocuments(owner, issued),
    listRecords(paymentType, principal, paymentIndex, newest),
    listRecords(refundType, principal, refundIndex, newest),
    readMails(owner, mailIds.slice(-newest.limit)),
    readCustomerNames(owner, [invoice]),
  ]);
  const timeline = timelineOf(invoice, payments.rows, refunds.rows, mails);
  const ids = timeline.moments.flatMap(({ event }) => event ?? []);
  return {
    invoice,
    names,
    documents,
    ...timeline,
    hidden: payments.total - payments.count + refunds.total - refunds.count,
    ...(await readAlongside(owner, mails, ids, now)),
  };
}

/** Reads which of the events exist, and, if a mail of the page bounced, which addresses get nothing any more. */
async function readAlongside(
  owner: Owner,
  mails: readonly Mail[],
  eventIds: readonly string[],
  now: Instant,
): Promise<Pick<InvoiceDetail, 'events' | 'suppressed'>> {
  const [events, suppressed] = await Promise.all([
    findEvents(owner, eventIds, now),
    readSuppressed(owner, mails),
  ]);
  return { events, suppressed };
}
