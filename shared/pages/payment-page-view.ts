/** What there is to show on the hosted payment page, in each of its states. How it looks is `payment-page.ts`. */
import type { Currency } from '../money.ts';
import type { CardSummary } from '../payments/card.ts';
import type { FailureCode } from '../payments/failures.ts';
import type { Instant } from '../time.ts';

export interface InvoiceView {
  readonly id: string;
  /** Who is paid: the account's display name. */
  readonly payee: string;
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly description: string;
  readonly dueAt: Instant;
  readonly overdue: boolean;
  readonly testMode: boolean;
}

export interface Receipt {
  readonly paymentId: string;
  readonly paidAt: Instant;
  readonly method: 'card' | 'offline' | 'provider';
  readonly card: CardSummary | null;
  readonly reference: string | null;
  /** What of it was refunded. */
  readonly refundedMinor: number;
}

export type FieldName = 'number' | 'expiry' | 'cvc';

export interface PaymentForm {
  /** Names this attempt: however often the form is sent, it is one payment. */
  readonly attempt: string;
  /** The version of what is shown, to which the payment is bound. */
  readonly contentVersion: number;
  /** Sentences by field; the number and the security code are never shown again. */
  readonly errors?: Partial<Record<FieldName, string>>;
  /** The expiry as it was typed. */
  readonly expiry?: string;
  /** Why the form is shown again: the last attempt was declined, or the invoice has changed since it was shown. */
  readonly notice?: { readonly kind: 'declined'; readonly code: FailureCode } | { readonly kind: 'changed' };
}

export type PaymentPageView =
  | { readonly kind: 'form'; readonly invoice: InvoiceView; readonly form: PaymentForm }
  | { readonly kind: 'in_progress'; readonly invoice: InvoiceView }
  | { readonly kind: 'paid'; readonly invoice: InvoiceView; readonly receipt: Receipt }
  | { readonly kind: 'cancelled'; readonly invoice: InvoiceView; readonly refundedMinor: number }
  | {
      readonly kind: 'instructions';
      readonly invoice: InvoiceView;
      readonly instructions: string;
      /** The text of a QR code, such as a bank's payment link. */
      readonly qr: string | undefined;
    }
  | { readonly kind: 'no_provider'; readonly invoice: InvoiceView }
  /** The account that was to be paid is closed. */
  | { readonly kind: 'closed'; readonly invoice: InvoiceView }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'too_many_attempts' }
  /** Sent from another site, or not a form at all. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'error'; readonly requestId: string };
