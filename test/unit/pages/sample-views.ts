/** A view of each kind of the payment page, and of each thing that it can say besides. */
import type {
  InvoiceView,
  PaymentForm,
  PaymentPageView,
  Receipt,
} from '../../../shared/pages/payment-page-view.ts';

export const invoice: InvoiceView = {
  id: 'inv_0h2m4zv8k6q1t9w3x5y7c2b4n6',
  payee: 'Druk Timber & Sons',
  amountMinor: 250_000,
  currency: 'BTN',
  description: 'Dining table\nSix chairs',
  dueAt: Date.UTC(2026, 11, 21, 23, 59, 59, 999),
  overdue: false,
  testMode: true,
};

export const form: PaymentForm = { attempt: '7c2b4n60h2m4zv8k6q1t9w3x5y', contentVersion: 3 };

export const receipt: Receipt = {
  paymentId: 'pay_9k6q1t9w3x5y7c2b4n60h2m4zv',
  paidAt: Date.UTC(2026, 10, 21, 14, 33, 12),
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  reference: null,
  refundedMinor: 0,
};

export const errors = { number: 'Wrong number.', expiry: 'Wrong expiry.', cvc: 'Wrong code.' };

/** The states that show an invoice. */
export function viewsOf(
  shown: InvoiceView,
  words: { readonly instructions: string; readonly qr: string; readonly reference: string },
): Record<string, PaymentPageView> {
  const offline = { ...receipt, method: 'offline', card: null, reference: words.reference } as const;
  return {
    form: { kind: 'form', invoice: shown, form },
    overdue: { kind: 'form', invoice: { ...shown, overdue: true }, form },
    wrong: { kind: 'form', invoice: shown, form: { ...form, errors, expiry: '13 / 25' } },
    declined: {
      kind: 'form',
      invoice: shown,
      form: { ...form, notice: { kind: 'declined', code: 'expired_card' } },
    },
    changed: { kind: 'form', invoice: shown, form: { ...form, notice: { kind: 'changed' } } },
    in_progress: { kind: 'in_progress', invoice: shown },
    paid: { kind: 'paid', invoice: shown, receipt },
    'paid offline': { kind: 'paid', invoice: shown, receipt: offline },
    refunded: { kind: 'paid', invoice: shown, receipt: { ...receipt, refundedMinor: 1_050 } },
    cancelled: { kind: 'cancelled', invoice: shown, refundedMinor: 0 },
    instructions: { kind: 'instructions', invoice: shown, ...words },
    no_provider: { kind: 'no_provider', invoice: shown },
    closed: { kind: 'closed', invoice: shown },
  };
}

export const words = {
  instructions: 'Bank of Bhutan\n2001 2345',
  qr: 'https://pay.example/1',
  reference: 'Slip 7',
};

export const invoiceViews = viewsOf(invoice, words);

export const views: Record<string, PaymentPageView> = {
  ...invoiceViews,
  not_found: { kind: 'not_found' },
  too_many_attempts: { kind: 'too_many_attempts' },
  refused: { kind: 'refused' },
  error: { kind: 'error', requestId: 'req-77' },
};
