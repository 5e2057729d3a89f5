/** Provides a sample view of the payment page in each state, with each optional part. */
import type { AccountTime } from '../../../shared/base/time.ts';
import type { Claim } from '../../../shared/domain/invoices/claim.ts';
import type {
  CancelledMoney,
  CheckoutForm,
  InvoiceView,
  PaymentForm,
  PaymentPageView,
  ReceiptView,
} from '../../../shared/web/pages/payment-page-view.ts';

export const sampleInvoice: InvoiceView = {
  id: 'inv_0h2m4zv8k6q1t9w3x5y7c2b4n6',
  reference: 'R7K2-M9QX',
  payee: 'Druk Timber & Sons',
  contact: 'shop@druk.example',
  timeZone: undefined,
  amountMinor: 250_000,
  currency: 'BTN',
  description: 'Dining table\nSix chairs',
  dueAt: Date.UTC(2026, 11, 21, 23, 59, 59, 999),
  overdue: false,
  isDefaultDueDate: false,
  testMode: true,
};

export const sampleForm: PaymentForm = {
  attempt: '7c2b4n60h2m4zv8k6q1t9w3x5y',
  visit: '1.1792598400000.0h2m4zv8k6q1t9w3x5y7c2b4n6.AAAAAAAAAAAAAAAAAAAAAA',
  contentVersion: 3,
};

export const sampleCheckout: CheckoutForm = {
  account: 'acct_0123456789abcdef',
  mode: 'live',
  provider: 'stripe',
  visit: sampleForm.visit,
  contentVersion: 3,
};

export const sampleReceipt: ReceiptView = {
  address: 'Norzin Lam 7\nThimphu',
  payer: 'dorji@example.bt',
  paymentId: 'pay_9k6q1t9w3x5y7c2b4n60h2m4zv',
  paidAt: Date.UTC(2026, 10, 21, 14, 33, 12),
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  refundedMinor: 0,
  refundedAt: undefined,
};

export const sampleClaim: Claim = {
  id: 'clm_7c2b4n60h2m4zv8k6q1t9w3x5y',
  status: 'open',
  amount: 250_000,
  paidOn: '2026-11-20',
  bank: 'Bank of Bhutan',
  reference: 'JRN 120455',
  claimedAt: Date.UTC(2026, 10, 21, 9, 30) as AccountTime,
};

const sampleRefundedAt = Date.UTC(2026, 10, 25, 9, 5);

export const sampleErrors = { number: 'checkDigit', expiry: 'expired', cvc: 'cvc' } as const;

/** Returns a view for each state that shows an invoice. */
export function sampleViewsOf(
  invoice: InvoiceView,
  texts: { readonly instructions: string; readonly qr: string },
): Record<string, PaymentPageView> {
  const receipt = (fields: Partial<ReceiptView>): PaymentPageView => ({
    kind: 'paid',
    invoice,
    receipt: { ...sampleReceipt, ...fields },
  });
  const cancelled = (money: CancelledMoney): PaymentPageView => ({ kind: 'cancelled', invoice, money });
  const offline = { ...sampleReceipt, method: 'offline', card: null } as const;
  const offering: InvoiceView = { ...invoice, offersClaim: true };
  const claimed = (status: Claim['status'], reason?: string): PaymentPageView => ({
    kind: 'form',
    invoice: { ...offering, claim: { ...sampleClaim, status, reason } },
    form: sampleForm,
  });
  return {
    form: { kind: 'form', invoice, form: sampleForm },
    overdue: { kind: 'form', invoice: { ...invoice, overdue: true }, form: sampleForm },
    invalid: { kind: 'form', invoice, form: { ...sampleForm, errors: sampleErrors, expiry: '13 / 25' } },
    declined: {
      kind: 'form',
      invoice,
      form: { ...sampleForm, notice: { kind: 'declined', code: 'expired_card' } },
    },
    changed: { kind: 'form', invoice, form: { ...sampleForm, notice: { kind: 'changed' } } },
    checkout: { kind: 'checkout', invoice, checkout: sampleCheckout },
    'checkout again': { kind: 'checkout', invoice, checkout: { ...sampleCheckout, notice: 'not_paid' } },
    'checkout changed': { kind: 'checkout', invoice, checkout: { ...sampleCheckout, notice: 'changed' } },
    confirming: { kind: 'confirming', invoice, checkoutId: 'co_9k6q1t9w3x5y7c2b4n60h2m4zv' },
    provider_down: { kind: 'provider_down', invoice },
    not_taken: { kind: 'not_taken', invoice },
    bank_processing: { kind: 'bank_processing', invoice },
    amount_differs: { kind: 'amount_differs', invoice, takenMinor: 260_000 },
    in_progress: { kind: 'in_progress', invoice, paymentId: sampleReceipt.paymentId },
    paid: { kind: 'paid', invoice, receipt: sampleReceipt },
    'paid at a provider': {
      kind: 'paid',
      invoice,
      receipt: { ...sampleReceipt, method: 'provider', card: null },
    },
    'paid offline': { kind: 'paid', invoice, receipt: offline },
    'partly refunded': receipt({ refundedMinor: 1_050, refundedAt: sampleRefundedAt }),
    refunded: receipt({ refundedMinor: invoice.amountMinor, refundedAt: sampleRefundedAt }),
    'partly returned offline': receipt({ ...offline, refundedMinor: 1_050, refundedAt: sampleRefundedAt }),
    'returned offline': receipt({
      ...offline,
      refundedMinor: invoice.amountMinor,
      refundedAt: sampleRefundedAt,
    }),
    disputed: receipt({ dispute: { status: 'open', amountMinor: invoice.amountMinor } }),
    'dispute won': receipt({ dispute: { status: 'won', amountMinor: 100 } }),
    'dispute lost': receipt({ dispute: { status: 'lost', amountMinor: invoice.amountMinor } }),
    'paid twice': receipt({ unneeded: { receivedMinor: 250_000, refundedMinor: 0 } }),
    'second payment refunded': receipt({ unneeded: { receivedMinor: 250_000, refundedMinor: 250_000 } }),
    'second payment not refunded': receipt({
      unneeded: { receivedMinor: 250_000, refundedMinor: 0, isRefundRefused: true },
    }),
    cancelled: cancelled({ kind: 'not_paid' }),
    'cancelled, refund refused': cancelled({ kind: 'refund_refused', amountMinor: 250_000 }),
    'cancelled, refused': cancelled({ kind: 'refused' }),
    'cancelled, unsettled': cancelled({ kind: 'unsettled' }),
    'cancelled, refunding': cancelled({ kind: 'refunding', amountMinor: 250_000 }),
    'cancelled, returned': cancelled({ kind: 'returned', amountMinor: 250_000, at: sampleRefundedAt }),
    instructions: {
      kind: 'instructions',
      invoice,
      instructions: texts.instructions,
      qr: { kind: 'static', text: texts.qr },
    },
    'filled code': {
      kind: 'instructions',
      invoice,
      instructions: texts.instructions,
      qr: { kind: 'filled', text: texts.qr },
    },
    'UPI link': {
      kind: 'instructions',
      invoice,
      instructions: texts.instructions,
      qr: { kind: 'upi', text: 'upi://pay?pa=druk@okbank&pn=Druk&am=2500.00&cu=INR' },
    },
    no_provider: { kind: 'no_provider', invoice },
    claim: { kind: 'claim', invoice: offering, claim: { visit: sampleForm.visit } },
    'claim, wrong': {
      kind: 'claim',
      invoice: offering,
      claim: { visit: sampleForm.visit, errors: ['bank', 'reference', 'paidOn', 'amount'] },
    },
    'claim, open': claimed('open'),
    'claim, confirmed': claimed('confirmed'),
    'claim, rejected': claimed('rejected', [...texts.instructions].slice(0, 500).join('')),
    closed: { kind: 'closed', invoice },
    maintenance: { kind: 'maintenance', invoice },
  };
}

export const sampleTexts = {
  instructions: 'Bank of Bhutan\n2001 2345',
  qr: 'https://pay.example/1',
};

export const sampleInvoiceViews = sampleViewsOf(sampleInvoice, sampleTexts);

export const sampleViews: Record<string, PaymentPageView> = {
  ...sampleInvoiceViews,
  not_found: { kind: 'not_found' },
  expired: { kind: 'expired' },
  too_many_attempts: { kind: 'too_many_attempts' },
  too_many_requests: { kind: 'too_many_requests' },
  refused: { kind: 'refused' },
  error: { kind: 'error', requestId: 'req-77' },
};
