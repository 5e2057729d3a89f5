/** Plans documents: their numbers, their contents, and what their invoices note of them. Does no input or output. */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { hasShortNumbers, maxIndianNumber, type Seller } from '../accounts/seller.ts';
import type { ShownInvoice } from '../invoices/invoice.ts';
import type { ShownPayment } from '../payments/payment.ts';
import type { Credited } from './credit.ts';
import type { DocumentContent, DocumentKind } from './document.ts';
import { type InvoiceNumber, newDocument, type StoredDocument } from './document-item.ts';
import type { Credit, DocumentOrder } from './document-order.ts';
import type { DocumentSources } from './document-sources-store.ts';
import { creditNoteContent, invoiceContent, receiptContent } from './issue.ts';
import { nameOfSeries, numberIn, type OpenSeries, seriesOf } from './series.ts';

/** A series with its last number. */
export interface CountedSeries {
  readonly series: OpenSeries;
  readonly last: number;
  /** The last number as it was read. */
  readonly stored: number;
}

/** What a transaction stores for some orders. */
export interface DocumentPlan {
  /** By the name of the series. */
  readonly series: ReadonlyMap<string, CountedSeries>;
  readonly numbers: ReadonlyMap<string, InvoiceNumber>;
  readonly documents: ReadonlyMap<string, StoredDocument>;
}

/** Plans documents one after the other. */
export class DocumentPlanner implements DocumentPlan {
  readonly series = new Map<string, CountedSeries>();
  readonly numbers = new Map<string, InvoiceNumber>();
  readonly documents = new Map<string, StoredDocument>();
  readonly #owner: Owner;
  readonly #sources: DocumentSources;

  constructor(owner: Owner, sources: DocumentSources) {
    this.#owner = owner;
    this.#sources = sources;
  }

  /**
   * Plans a document, if it does not exist.
   * @returns whether there is one: no credit note follows where nothing is left to credit
   * @throws MalformedItemError if it cannot be made. Then nothing is planned for it
   */
  add(order: DocumentOrder): boolean {
    const { change, invoiceId } = order;
    const before = this.numbers.get(invoiceId) ?? this.#sources.numberOf(invoiceId);
    if (before?.documents.includes(order.id)) return true;
    if (change.kind === 'credit_note') return this.#credit(order, change.credit, before);
    if (change.kind === 'invoice') this.#issue(order, change.invoice, before);
    else this.#acknowledge(order, change.payment, before);
    return true;
  }

  #issue({ id, at }: DocumentOrder, invoice: ShownInvoice, before: InvoiceNumber | undefined): void {
    const parties = this.#sources.partiesOf(invoice.customerId);
    const revision = before ? before.revision + 1 : 0;
    const next = before ? undefined : this.#next(id, 'invoice', parties.seller, at);
    const number = before?.number ?? next?.number ?? '';
    const content = invoiceContent(invoice, { number, revision }, parties, at);
    next?.take();
    this.#add(id, at, content, before, { lastIssue: id, revision });
  }

  #credit(
    { id, at, invoiceId }: DocumentOrder,
    { amount, reason }: Credit,
    before: InvoiceNumber | undefined,
  ): boolean {
    const invoice = this.#lastIssueOf(id, invoiceId, before);
    const left = invoice.amount - (before?.credited?.amount ?? 0);
    // A refund that failed keeps its credit note. The refund that returns its money then needs no other one.
    if (amount !== undefined && left < 1) return false;
    const credit = { amount: Math.min(amount ?? left, left), reason };
    if (credit.amount < 1)
      throw new MalformedItemError(id, `nothing of the invoice ${invoiceId} is left to credit`);
    const parties = this.#sources.partiesOf(undefined);
    const next = this.#next(id, 'credit_note', parties.seller, at);
    const credited = creditNoteContent(credit, next.number, invoice, before?.credited, parties, at);
    next.take();
    this.#add(id, at, credited.content, before, { credited: credited.credited });
    return true;
  }

  #acknowledge(
    { id, at, invoiceId }: DocumentOrder,
    payment: ShownPayment,
    before: InvoiceNumber | undefined,
  ): void {
    const invoice = this.#lastIssueOf(id, invoiceId, before);
    const parties = this.#sources.partiesOf(undefined);
    const next = this.#next(id, 'receipt', parties.seller, at);
    const content = receiptContent(payment, next.number, invoice, parties, at);
    next.take();
    this.#add(id, at, content, before, {});
  }

  /** Returns the invoice as it was issued last. @param id of the document that needs it */
  #lastIssueOf(id: string, invoiceId: string, before: InvoiceNumber | undefined): DocumentContent {
    const last =
      before && (this.documents.get(before.lastIssue) ?? this.#sources.documentOf(before.lastIssue));
    if (!last) throw new MalformedItemError(id, `the invoice ${invoiceId} has no document`);
    return last.content;
  }

  /**
   * Returns the next number of a series, and how to take it.
   * @param id of the document
   * @throws MalformedItemError if the number would be too long for a seller with a GSTIN
   */
  #next(id: string, kind: DocumentKind, seller: Seller, at: Instant) {
    const series = seriesOf(seller, kind, at);
    const name = nameOfSeries(series);
    const stored = this.#sources.lastNumberOf(name);
    const last = (this.series.get(name)?.last ?? stored) + 1;
    const take = () => void this.series.set(name, { series, last, stored });
    const number = numberIn(series, last);
    if (hasShortNumbers(seller) && number.length > maxIndianNumber)
      throw new MalformedItemError(
        id,
        `its number ${number} has ${number.length} characters, and with a GSTIN at most ${maxIndianNumber} are allowed`,
        {
          remedy: 'Give the series a shorter prefix in the seller profile. Then run npx remit poison retry.',
        },
      );
    return { number, take };
  }

  #add(
    id: string,
    issuedAt: Instant,
    content: DocumentContent,
    before: InvoiceNumber | undefined,
    changed: { lastIssue?: string; revision?: number; credited?: Credited },
  ): void {
    const { account, mode } = this.#owner;
    const { invoiceId, number } = content;
    this.documents.set(id, newDocument(this.#owner, id, issuedAt, content));
    const first = { account, mode, number, documents: [], lastIssue: id, revision: 0, version: 0 };
    const { documents, ...current } = before ?? first;
    const version = (this.#sources.numberOf(invoiceId)?.version ?? 0) + 1;
    this.numbers.set(invoiceId, { ...current, ...changed, documents: [...documents, id], version });
  }
}
