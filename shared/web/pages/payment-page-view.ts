/** Defines what the hosted payment page shows in each of its states. `payment-page.ts` renders it. */
import type { Owner } from '../../base/ids.ts';
import type { Locale } from '../../base/locales.ts';
import type { Currency } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import type { StoredCharges } from '../../domain/charges/stored-charges.ts';
import type { DocumentContent } from '../../domain/documents/document.ts';
import type { Claim } from '../../domain/invoices/claim.ts';
import type { CardSummary } from '../../domain/payments/provider/card.ts';
import type { FailureCode } from '../../domain/payments/provider/failures.ts';
import type { HostedProviderName } from '../../domain/payments/provider/hosted-provider.ts';
import type { CardError } from './card-texts.ts';

export interface InvoiceView {
  readonly id: string;
  /** The number of the invoice, if it has a document. */
  readonly number?: string | undefined;
  /** The language that the merchant chose. Undefined: none. */
  readonly locale?: Locale | undefined;
  /** What the document says. Undefined: there is none, or it cannot be read. */
  readonly document?: DocumentContent | undefined;
  /** The credit notes of the invoice, oldest first. */
  readonly creditNotes?: readonly CreditNoteView[] | undefined;
  /** What payers give when they pay: the payment reference, or the invoice id of an invoice without one. */
  readonly reference: string;
  /** The display name of the account. Undefined: the account has none, and the page names no payee. */
  readonly payee: string | undefined;
  /** How the payer reaches the payee. Undefined: the account has no such setting. */
  readonly contact: string | undefined;
  /** The time zone of all times on the page: an IANA name, or undefined for UTC. */
  readonly timeZone: string | undefined;
  /** What is due. Of a paid invoice, what was paid. */
  readonly amountMinor: number;
  /** The amount of the invoice and what is paid of it, if there are payments of parts. */
  readonly received?: { readonly totalMinor: number; readonly paidMinor: number } | undefined;
  /** The smallest amount that the payer can choose. Undefined: the payer pays all that is due. */
  readonly smallestPartMinor?: number | undefined;
  readonly currency: Currency;
  readonly description: string;
  /** Undefined: the invoice has only an amount and a description. */
  readonly charges?: StoredCharges | undefined;
  readonly dueAt: Instant;
  /** The merchant set no due date, so the time of day means nothing. */
  readonly isDefaultDueDate: boolean;
  readonly overdue: boolean;
  readonly testMode: boolean;
  /** The last claim of a payer to have paid. */
  readonly claim?: Claim | undefined;
  /** The payee takes bank transfers, so the page offers to claim one. */
  readonly offersClaim?: boolean | undefined;
}

/** The form of a claim. */
export interface ClaimForm {
  /** The signed visit: proof of when the payer opened the page. */
  readonly visit: string;
  /** What the payer typed, where it is valid. */
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: readonly ('bank' | 'reference' | 'paidOn' | 'amount')[];
}

/** A credit note to download. `issuedOn` is a day, `YYYY-MM-DD`. */
interface CreditNoteView {
  readonly id: string;
  readonly number: string;
  readonly issuedOn: string;
}

export interface ReceiptView {
  /** The postal address of the payee. */
  readonly address: string | undefined;
  /** The customer id of the invoice. */
  readonly payer: string;
  readonly paymentId: string;
  readonly paidAt: Instant;
  readonly method: 'card' | 'offline' | 'provider' | 'credit';
  readonly card: CardSummary | null;
  /** The refunded part of the payment, in the smallest currency unit. */
  readonly refundedMinor: number;
  /** When the last refund was processed. Undefined: nothing is refunded. */
  readonly refundedAt: Instant | undefined;
  /** The dispute of the payment: the payer asked the bank to take the money back. */
  readonly dispute?: { readonly status: 'open' | 'won' | 'lost'; readonly amountMinor: number } | undefined;
  /** Money that arrived besides the payment, and that the invoice did not need. */
  readonly unneeded?: UnneededMoney | undefined;
}

/** A QR code to pay with. */
export interface PaymentQr {
  /** The text of the code, for example a bank's payment link. */
  readonly text: string;
  /** `upi`: a link for UPI apps. `filled`: a national QR code. Both have amount and reference. `static`: the payee's text. */
  readonly kind: 'upi' | 'filled' | 'static';
}

/** Money that the invoice did not need, and its refunded part, in the smallest currency unit. */
export interface UnneededMoney {
  readonly receivedMinor: number;
  readonly refundedMinor: number;
  /** The provider refused the last refund. */
  readonly isRefundRefused?: boolean | undefined;
}

/** What became of the money of the payer of a cancelled invoice. */
export type CancelledMoney =
  | { readonly kind: 'not_paid' | 'refused' | 'unsettled' }
  | { readonly kind: 'refunding' | 'refund_refused'; readonly amountMinor: number }
  | { readonly kind: 'returned'; readonly amountMinor: number; readonly at: Instant | undefined };

export type FieldName = 'number' | 'expiry' | 'cvc';

export type CardErrors = Partial<Record<FieldName, CardError>>;

export interface PaymentForm {
  /** The ID of this attempt. A form that is sent more than once makes only one payment. */
  readonly attempt: string;
  /** The signed visit: proof of when the payer opened the page. */
  readonly visit: string;
  /** The version of the invoice that is shown. A payment is valid only for this version. */
  readonly contentVersion: number;
  /** What is wrong with each invalid field. */
  readonly errors?: CardErrors;
  /** The expiry date as the payer typed it. The card number and the security code are never shown again. */
  readonly expiry?: string;
  /** Why the form is shown again: the last attempt was declined, the invoice changed after the page was opened, or does not take the amount. */
  readonly notice?:
    | { readonly kind: 'declined'; readonly code: FailureCode }
    | { readonly kind: 'changed' | 'part' };
}

/** What the pay button sends, and why the page is shown again. */
export interface CheckoutForm extends Owner {
  readonly provider: HostedProviderName;
  /** The signed visit: proof of when the payer opened the page. */
  readonly visit: string;
  /** The version of the invoice that is shown. A checkout begins only for this version. */
  readonly contentVersion: number;
  /** The invoice changed after the page was opened, it does not take the amount, or the payer came back without a payment of it. */
  readonly notice?: 'changed' | 'part' | 'not_paid' | undefined;
  /** An earlier payment that the payee has not accepted. */
  readonly unneeded?: ReceiptView['unneeded'];
}

export type PaymentPageView =
  | { readonly kind: 'form'; readonly invoice: InvoiceView; readonly form: PaymentForm }
  /** The payer pays on the page of a provider. */
  | { readonly kind: 'checkout'; readonly invoice: InvoiceView; readonly checkout: CheckoutForm }
  /** The payer claims to have paid by bank transfer. */
  | { readonly kind: 'claim'; readonly invoice: InvoiceView; readonly claim: ClaimForm }
  /** The payer came back from the provider, and the payment is not settled yet. */
  | { readonly kind: 'confirming'; readonly invoice: InvoiceView; readonly checkoutId: string }
  | { readonly kind: 'provider_down'; readonly invoice: InvoiceView }
  /** The account's providers do not take this payment, for example its currency. */
  | { readonly kind: 'not_taken'; readonly invoice: InvoiceView }
  /** A payment has no outcome yet. Its id is unknown if only a newer version knows the state of the invoice. */
  | {
      readonly kind: 'in_progress';
      readonly invoice: InvoiceView;
      readonly paymentId: string | undefined;
    }
  /** The payer has done their part at the provider, and the bank decides, which can take days. */
  | { readonly kind: 'bank_processing'; readonly invoice: InvoiceView }
  /** The provider took another amount than that of the invoice, and the merchant decides. */
  | { readonly kind: 'amount_differs'; readonly invoice: InvoiceView; readonly takenMinor: number }
  | { readonly kind: 'paid'; readonly invoice: InvoiceView; readonly receipt: ReceiptView }
  | { readonly kind: 'cancelled'; readonly invoice: InvoiceView; readonly money: CancelledMoney }
  | {
      readonly kind: 'instructions';
      readonly invoice: InvoiceView;
      /** The payee's own words. Undefined: only the QR code says how to pay. */
      readonly instructions: string | undefined;
      readonly qr: PaymentQr | undefined;
    }
  | { readonly kind: 'no_provider'; readonly invoice: InvoiceView }
  /** The payee's account is closed. */
  | { readonly kind: 'closed'; readonly invoice: InvoiceView }
  /** The service is in maintenance. */
  | { readonly kind: 'maintenance'; readonly invoice: InvoiceView }
  /** Asks whether the reader of a reminder wants no more of them. `query` is that of the page, which has the token. */
  | { readonly kind: 'reminders'; readonly query: string }
  | { readonly kind: 'reminders_stopped' }
  | { readonly kind: 'not_found' }
  /** The invoice was paid or cancelled long ago, and the account lets its links expire. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'too_many_attempts' }
  /** The source address has opened pages too often. */
  | { readonly kind: 'too_many_requests' }
  /** The request came from another site, or was not a form of the page. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'error'; readonly requestId: string };
