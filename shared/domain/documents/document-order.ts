/** Says which documents follow from events. Pure. */
import { documentId, eventId } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import type { ShownInvoice } from '../invoices/invoice.ts';
import type { ShownPayment } from '../payments/payment.ts';
import type { Refund, ShownRefund } from '../refunds/refund.ts';

/** A document to issue: the event of the change for which it is issued. */
export interface DocumentOrder {
  /** The id of the document. */
  readonly id: string;
  readonly invoiceId: string;
  readonly at: Instant;
  readonly change:
    | { readonly kind: 'invoice'; readonly invoice: ShownInvoice }
    | { readonly kind: 'credit_note'; readonly refund: ShownRefund }
    | { readonly kind: 'receipt'; readonly payment: ShownPayment };
}

/** Returns the document that an event causes. Undefined: the event causes none. */
export function orderOf({ id, type, body }: EventDraft): DocumentOrder | undefined {
  if (!(type in kinds)) return undefined;
  const { data, timestamp } = JSON.parse(body);
  const at = Date.parse(timestamp);
  const order = { id: documentId(id, at), at };
  const kind = kinds[type as keyof typeof kinds];
  if (kind === 'invoice') return { ...order, invoiceId: data.id, change: { kind, invoice: data } };
  const { invoiceId } = data;
  return kind === 'receipt'
    ? { ...order, invoiceId, change: { kind, payment: data } }
    : { ...order, invoiceId, change: { kind, refund: data } };
}

/** Returns the id of the credit note of a processed refund, which may not be issued yet. */
export const creditNoteIdOf = ({ id, objectVersion, updatedAt }: Refund): string =>
  documentId(eventId(id, objectVersion, 'refund.processed', updatedAt), updatedAt);

/** A change that has documents completes a payment only if the payment pays its invoice. */
const kinds = {
  'invoice.created': 'invoice',
  'invoice.updated': 'invoice',
  'payment.completed': 'receipt',
  'refund.processed': 'credit_note',
} as const;
