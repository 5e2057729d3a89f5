/** Says which documents follow from events. Pure. */
import { documentId, eventId } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import type { ShownInvoice } from '../invoices/invoice.ts';
import type { Payment, ShownPayment } from '../payments/payment.ts';
import type { Refund, ShownRefund } from '../refunds/refund.ts';

/** What a credit note credits of its invoice. */
export interface Credit {
  /** In the smallest currency unit. Undefined: all that earlier credit notes leave. */
  readonly amount?: number | undefined;
  readonly reason: string | null;
}

/** The reason of the credit note of a paid invoice that another one replaces. Buyers read it. */
const replacementReason = 'Another invoice replaces this one, because a payment was recorded by mistake.';

/** A document to issue: the event of the change for which it is issued. */
export interface DocumentOrder {
  /** The id of the document. */
  readonly id: string;
  readonly invoiceId: string;
  readonly at: Instant;
  readonly change:
    | { readonly kind: 'invoice'; readonly invoice: ShownInvoice }
    | { readonly kind: 'credit_note'; readonly credit: Credit }
    | { readonly kind: 'receipt'; readonly payment: ShownPayment };
}

/** Returns the document that an event causes. Undefined: the event causes none. */
export function orderOf({ id, type, body, credits }: EventDraft): DocumentOrder | undefined {
  if (!(type in kinds) || credits === 0) return undefined;
  const { data, timestamp } = JSON.parse(body);
  const change = kinds[type as keyof typeof kinds](data, credits);
  if (!change) return undefined;
  const at = Date.parse(timestamp);
  const invoiceId = change.kind === 'invoice' ? data.id : data.invoiceId;
  return { id: documentId(id, at), at, invoiceId, change };
}

/** Returns the id of the credit note of a refund, which may not be issued yet. Undefined: the refund was never processed. */
export const creditNoteIdOf = ({ id, processedVersion, processedAt }: Refund): string | undefined =>
  processedVersion === undefined || processedAt === undefined
    ? undefined
    : documentId(eventId(id, processedVersion, 'refund.processed', processedAt), processedAt);

/** Returns the id of the credit note of the void of a payment, which may not be issued yet. Undefined: the payment is not voided. */
export const creditNoteIdOfVoid = (payment: Payment | undefined): string | undefined => {
  if (payment?.voidedAt === undefined) return undefined;
  const { id, objectVersion, voidedAt } = payment;
  return documentId(eventId(id, objectVersion, 'payment.voided', voidedAt), voidedAt);
};

type DocumentChange = DocumentOrder['change'];

/** An invoice that another one replaces is not issued again: a credit note corrects it. */
const issueOf = (invoice: ShownInvoice): DocumentChange | undefined =>
  invoice.replacedBy == null ? { kind: 'invoice', invoice } : undefined;

/**
 * What follows from the event of a change that has documents. Such a change completes a payment only if the payment pays its invoice,
 * and voids one only if another invoice replaces that which it paid.
 */
const kinds = {
  'invoice.created': issueOf,
  'invoice.updated': issueOf,
  'payment.completed': (payment: ShownPayment): DocumentChange => ({ kind: 'receipt', payment }),
  'refund.processed': (
    { amount, amountOver = 0, reason }: ShownRefund,
    credits = amount - amountOver,
  ): DocumentChange => ({ kind: 'credit_note', credit: { amount: credits, reason } }),
  'payment.voided': (): DocumentChange => ({ kind: 'credit_note', credit: { reason: replacementReason } }),
} as const;
