/** Which state the payment page is in: what it shows of an invoice, from the records. Pure. */
import type { Invoice } from '../invoices/invoice.ts';
import { contentVersionOf, isOpen } from '../invoices/transitions.ts';
import type { CardSummary } from '../payments/card.ts';
import type { Payment } from '../payments/payment.ts';
import type { InvoiceView, PaymentForm, PaymentPageView } from './payment-page-view.ts';

/** What the page needs besides the invoice. */
export interface PaymentPageSurroundings {
  readonly settings: {
    readonly payee: string;
    readonly paymentInstructions: string | undefined;
    readonly paymentQr: string | undefined;
    readonly closed: boolean;
  };
  /** Whether the invoice's mode has a provider. */
  readonly takesCards: boolean;
  /** A name for the next attempt, never used before. */
  readonly attempt: string;
}

/** Whatever there is to show, whoever looks; `form` is what a form, if that is it, says beyond the invoice. */
export function paymentPageOf(
  invoice: Invoice,
  { settings, takesCards, attempt }: PaymentPageSurroundings,
  form: Pick<PaymentForm, 'errors' | 'expiry' | 'notice'> = {},
): PaymentPageView {
  const shown = invoiceView(invoice, settings.payee);
  const { receipt } = invoice;
  const { refundedMinor = 0 } = invoice;
  if (invoice.status === 'cancelled') return { kind: 'cancelled', invoice: shown, refundedMinor };
  if (receipt) {
    const card = receipt.card as CardSummary | null;
    const paidAt = invoice.updatedAt;
    return { kind: 'paid', invoice: shown, receipt: { ...receipt, card, paidAt, refundedMinor } };
  }
  if (invoice.paymentInProgress !== undefined) return { kind: 'in_progress', invoice: shown };
  if (settings.closed) return { kind: 'closed', invoice: shown };
  if (takesCards) {
    const contentVersion = contentVersionOf(invoice);
    return { kind: 'form', invoice: shown, form: { ...form, attempt, contentVersion } };
  }
  const { paymentInstructions: instructions, paymentQr: qr } = settings;
  return instructions === undefined
    ? { kind: 'no_provider', invoice: shown }
    : { kind: 'instructions', invoice: shown, instructions, qr };
}

/** Why the form is shown again, from the query of the page: `?payment=<id>` or `?changed`. */
export function noticeOf(
  invoice: Invoice,
  payment: Payment | undefined,
  changed: boolean,
): PaymentForm['notice'] {
  if (changed && isOpen(invoice)) return { kind: 'changed' };
  if (payment?.invoiceId !== invoice.id || payment.status !== 'failed' || !payment.failureCode)
    return undefined;
  return { kind: 'declined', code: payment.failureCode };
}

function invoiceView({ id, amount, currency, description, ...invoice }: Invoice, payee: string): InvoiceView {
  return {
    ...{ id, payee, currency, description },
    amountMinor: amount,
    dueAt: Date.parse(invoice.dueDate),
    overdue: invoice.status === 'overdue',
    testMode: invoice.mode === 'test',
  };
}
