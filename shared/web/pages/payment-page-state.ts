/** Decides which state of the payment page an invoice is in, and what the page shows. Pure. */
import type { Instant } from '../../base/time.ts';
import { qrAmountProblem } from '../../domain/accounts/account.ts';
import { upiLinkOf, withPayment } from '../../domain/accounts/merchant-qr.ts';
import type { PageSettings } from '../../domain/accounts/page-settings.ts';
import { instructionsFor } from '../../domain/accounts/payment-instructions.ts';
import type { PayerDocuments } from '../../domain/documents/payer-documents-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { formatPaymentReference } from '../../domain/invoices/payment-reference.ts';
import { amountDueOf, amountPaidOf, hasParts } from '../../domain/invoices/received-money.ts';
import { contentVersionOf, hasDefaultDueDate, isPayable } from '../../domain/invoices/transitions.ts';
import { amountReturnedOf } from '../../domain/journal/chart.ts';
import { offersParts, smallestPartOf } from '../../domain/payments/payable-amount.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { offersTransfer } from '../../domain/payments/payment-ways.ts';
import type { CardSummary } from '../../domain/payments/provider/card.ts';
import type { HostedProviderName } from '../../domain/payments/provider/hosted-provider.ts';
import type {
  CancelledMoney,
  CheckoutForm,
  ClaimForm,
  InvoiceView,
  PaymentForm,
  PaymentPageView,
  PaymentQr,
  ReceiptView,
} from './payment-page-view.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The maximum number of characters of a payee's name in a UPI link. */
const maxUpiName = 25;

/** The data that the page needs besides the invoice. */
export interface PaymentPageDependencies {
  readonly settings: PageSettings;
  /** Undefined: the invoice has no document. */
  readonly documents?: PayerDocuments | undefined;
  readonly now: Instant;
  /** Whether the page itself takes cards. */
  readonly takesCards: boolean;
  /** The provider on whose page the payer pays. `none`: the account has providers, and none takes the payment. */
  readonly provider?: HostedProviderName | 'none' | undefined;
  /** The dispute of the payment of a paid invoice. */
  readonly dispute?: ReceiptView['dispute'];
  /** The payment on the page of a provider that the invoice waits for. */
  readonly pendingPayment?: Pick<Payment, 'amount' | 'pendingReason'> | undefined;
  /** The unique ID of the next payment attempt. */
  readonly attempt: string;
  /** The signed visit that the form carries. */
  readonly visit: string;
}

/**
 * Builds the view of an invoice. It is the same for every visitor.
 * @param form what the card form shows besides the invoice, if the view has a form
 * @param returned set if a provider sent the payer back
 */
export function buildPaymentPageView(
  invoice: Invoice,
  {
    settings,
    documents,
    takesCards,
    provider,
    dispute,
    pendingPayment,
    attempt,
    visit,
    now,
  }: PaymentPageDependencies,
  form: Pick<PaymentForm, 'errors' | 'expiry' | 'notice'> = {},
  returned?: CheckoutReturn,
): PaymentPageView {
  const shown = { ...invoiceView(invoice, settings), ...documentView(documents) };
  const receipt = isPayable(invoice) ? undefined : invoice.receipt;
  if (isPageExpired(invoice, settings.payLinkDays, now)) return { kind: 'expired' };
  if (invoice.status === 'cancelled')
    return { kind: 'cancelled', invoice: shown, money: cancelledMoneyOf(invoice) };
  if (receipt) {
    const card = receipt.card as CardSummary | null;
    const paidAt = invoice.updatedAt;
    const { paymentId, method } = receipt;
    const parties = { payer: invoice.customerId, address: settings.address };
    const paid = { paymentId, method, card, paidAt, dispute, ...parties, ...refundsOf(invoice) };
    return { kind: 'paid', invoice: shown, receipt: paid };
  }
  if (pendingPayment && invoice.paymentInProgress !== undefined && isPayable(invoice)) {
    const { amount: takenMinor, pendingReason } = pendingPayment;
    return pendingReason === 'amount_differs'
      ? { kind: 'amount_differs', invoice: shown, takenMinor }
      : { kind: 'bank_processing', invoice: shown };
  }
  // A status that only a newer version knows, during a rollout, takes no payments here.
  const isBeingChanged = invoice.paymentInProgress !== undefined || !isPayable(invoice);
  if (isBeingChanged) return { kind: 'in_progress', invoice: shown, paymentId: invoice.paymentInProgress };

  const { openCheckout } = invoice;
  if (openCheckout !== undefined && returned?.checkoutId === openCheckout && !returned.cancelled)
    return { kind: 'confirming', invoice: shown, checkoutId: openCheckout };
  if (settings.closed) return { kind: 'closed', invoice: shown };
  const takesPayments = takesCards || (provider !== undefined && provider !== 'none');
  if (takesPayments && settings.isInMaintenance) return { kind: 'maintenance', invoice: shown };
  const contentVersion = contentVersionOf(invoice);
  if (provider !== undefined && provider !== 'none') {
    const { account, mode } = invoice;
    // The payer may have paid a part: the page shows what is paid, and says nothing else.
    const hasPaid = hasParts(invoice) && !returned?.cancelled;
    const notice = noticeOf(form.notice?.kind, hasPaid ? undefined : returned);
    const { unneeded } = refundsOf(invoice);
    const checkout = { account, mode, provider, visit, contentVersion, notice, unneeded };
    return { kind: 'checkout', invoice: shown, checkout };
  }
  if (takesCards) {
    return { kind: 'form', invoice: shown, form: { ...form, attempt, visit, contentVersion } };
  }
  const noWay = { kind: provider === 'none' ? 'not_taken' : 'no_provider', invoice: shown } as const;
  return transferViewOf(shown, settings) ?? noWay;
}

/** Returns the view of an invoice that the payer pays without the page. Undefined: the account does not say how. */
export function transferViewOf(
  invoice: InvoiceView,
  settings: PageSettings,
): Extract<PaymentPageView, { kind: 'instructions' }> | undefined {
  const instructions = instructionsFor(settings, invoice.currency);
  const qr = paymentQrOf(invoice, settings);
  if (instructions === undefined && qr === undefined) return undefined;
  return { kind: 'instructions', invoice, instructions, qr };
}

/** Returns the view with the form of a claim in the place of the ways to pay. A view that asks for no payment stays as it is. */
export function withClaimForm(view: PaymentPageView, claim: ClaimForm): PaymentPageView {
  const isAsking = view.kind === 'form' || view.kind === 'checkout' || view.kind === 'instructions';
  const isFree = isAsking && view.invoice.claim?.status !== 'open';
  return isFree ? { kind: 'claim', invoice: view.invoice, claim } : view;
}

/** Returns what was refunded of the payment, and the money that arrived besides it. */
function refundsOf(invoice: Invoice) {
  const { refundedAt, isRefundRefused, unneededMinor: receivedMinor = 0 } = invoice.payerNote ?? {};
  const { unneededRefundedMinor = 0 } = invoice.payerNote ?? {};
  const unneeded =
    receivedMinor > 0 ? { receivedMinor, refundedMinor: unneededRefundedMinor, isRefundRefused } : undefined;
  const refundedMinor = amountReturnedOf(invoice);
  return { refundedMinor, refundedAt: refundedMinor > 0 ? refundedAt : undefined, unneeded };
}

/** Returns what became of money that a cancelled invoice received. All of it is refunded. */
function cancelledMoneyOf({ paymentInProgress, refundedMinor = 0, payerNote = {} }: Invoice): CancelledMoney {
  const refundingMinor = (payerNote.unneededMinor ?? 0) - refundedMinor;
  if (paymentInProgress !== undefined) return { kind: 'unsettled' };
  if (refundingMinor > 0)
    return { kind: payerNote.isRefundRefused ? 'refund_refused' : 'refunding', amountMinor: refundingMinor };
  if (refundedMinor > 0) return { kind: 'returned', amountMinor: refundedMinor, at: payerNote.refundedAt };
  return { kind: payerNote.isRefused ? 'refused' : 'not_paid' };
}

function noticeOf(
  kind: NonNullable<PaymentForm['notice']>['kind'] | undefined,
  returned: CheckoutReturn | undefined,
): CheckoutForm['notice'] {
  if (kind === 'changed' || kind === 'part') return kind;
  return returned ? 'not_paid' : undefined;
}

/** What the address says to which a provider sent the payer back. */
export interface CheckoutReturn {
  readonly checkoutId: string;
  /** The payer gave up. */
  readonly cancelled: boolean;
}

/** Returns the QR code of the page, with amount and reference if the account's settings allow it. */
function paymentQrOf(invoice: InvoiceView, settings: PageSettings): PaymentQr | undefined {
  const { currency, amountMinor, reference, id, payee } = invoice;
  const { upiId, paymentQr, paymentQrAmount } = settings;
  if (upiId !== undefined && currency === 'INR') {
    // The link is the text of a QR code, so a long name is cut.
    const shortName = [...(payee ?? upiId)].slice(0, maxUpiName).join('');
    return { kind: 'upi', text: upiLinkOf({ upiId, payee: shortName, amountMinor, reference }) };
  }
  if (paymentQr === undefined) return undefined;
  // A national code has room for a reference, and none for the id of an invoice without one.
  const isFilled = paymentQrAmount && currency === 'BTN' && reference !== id;
  if (!isFilled || qrAmountProblem(settings) !== undefined) return { kind: 'static', text: paymentQr };
  return { kind: 'filled', text: withPayment(paymentQr, { amountMinor, currency, reference }) };
}

/** Whether the link of a paid or cancelled invoice shows it no longer. */
export function isPageExpired(
  { status, updatedAt }: Pick<Invoice, 'status' | 'updatedAt'>,
  payLinkDays: number | undefined,
  now: Instant,
): boolean {
  if (payLinkDays === undefined) return false;
  return (status === 'paid' || status === 'cancelled') && now >= updatedAt + payLinkDays * dayMs;
}

/**
 * Decides from the page's query why the form is shown again: `?payment=<id>` after a failed payment, `?changed` after
 * a change of the invoice, `?part` after an amount that the invoice does not take. Returns undefined if there is no such reason.
 */
export function formNoticeOf(
  invoice: Invoice,
  payment: Payment | undefined,
  again: 'changed' | 'part' | undefined,
): PaymentForm['notice'] {
  if (again && isPayable(invoice)) return { kind: again };
  if (payment?.invoiceId !== invoice.id || payment.status !== 'failed' || !payment.failureCode)
    return undefined;
  return { kind: 'declined', code: payment.failureCode };
}

/** Returns what the page shows of the documents of an invoice. */
function documentView(
  documents: PayerDocuments | undefined,
): Pick<InvoiceView, 'number' | 'document' | 'creditNotes'> {
  if (!documents) return {};
  const { number, current, creditNotes } = documents;
  return {
    number,
    document: current?.content,
    creditNotes: creditNotes.map(({ id, content }) => ({
      id,
      number: content.number,
      issuedOn: content.issuedOn,
    })),
  };
}

/** Returns what the page asks for, or what was paid. */
function amountsOf(invoice: Invoice): Pick<InvoiceView, 'amountMinor' | 'received' | 'smallestPartMinor'> {
  const { amount: totalMinor, status } = invoice;
  const smallestPartMinor = offersParts(invoice) ? smallestPartOf(invoice) : undefined;
  if (!hasParts(invoice) || status === 'cancelled') return { amountMinor: totalMinor, smallestPartMinor };
  const paidMinor = amountPaidOf(invoice);
  return {
    amountMinor: isPayable(invoice) ? amountDueOf(invoice) : paidMinor,
    received: { totalMinor, paidMinor },
    smallestPartMinor,
  };
}

function invoiceView(invoice: Invoice, settings: PageSettings): InvoiceView {
  const { payee, contact, timeZone } = settings;
  const { id, currency, description, charges, paymentReference, locale } = invoice;
  return {
    id,
    reference: paymentReference === undefined ? id : formatPaymentReference(paymentReference),
    payee,
    contact,
    timeZone,
    currency,
    description,
    charges,
    locale,
    ...amountsOf(invoice),
    dueAt: Date.parse(invoice.dueDate),
    isDefaultDueDate: hasDefaultDueDate(invoice),
    overdue: invoice.status === 'overdue',
    testMode: invoice.mode === 'test',
    claim: invoice.claim,
    offersClaim: offersTransfer(settings, currency),
  };
}
