/** What an invoice stores about its payment and about refunds, for its payment page. */
import type { Instant } from '../../base/time.ts';

/** What the payment page says about money. Amounts are in the smallest currency unit. */
export interface PayerNote {
  /** When the last refund was processed. */
  readonly refundedAt?: Instant | undefined;
  /** The money that arrived although the invoice did not need it. It is refunded in full. */
  readonly unneededMinor?: number | undefined;
  /** The part of `unneededMinor` that is refunded. */
  readonly unneededRefundedMinor?: number | undefined;
  /** What is refunded of money that payments brought above the amount due. */
  readonly overRefundedMinor?: number | undefined;
  /** What credit notes credit although no money went back: the bank returned their refunds. Later refunds have no note for it again. */
  readonly creditedMinor?: number | undefined;
  /** The provider refused the last refund of money that the invoice did not need. */
  readonly isRefundRefused?: boolean | undefined;
  /** A payment was refused, so nothing was charged. */
  readonly isRefused?: boolean | undefined;
}

/** The answer of a provider that took no checkout for the invoice as it was. */
export interface CheckoutRefusal {
  readonly provider: string;
  readonly reason: string;
  readonly at: Instant;
}

/** The details of its payment that a paid invoice stores. */
export interface Receipt {
  readonly paymentId: string;
  readonly method: 'card' | 'offline' | 'provider' | 'credit';
  readonly card: { readonly brand: string; readonly last4: string } | null;
  readonly reference: string | null;
}
