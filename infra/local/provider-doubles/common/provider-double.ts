/**
 * Defines what the doubles of all providers have in common. A double is an HTTP server on the loopback address that behaves
 * as the provider documents, keeps its state in memory, and moves no money.
 */
import type { Mode } from '../../../../shared/base/ids.ts';
import type { Instant } from '../../../../shared/base/time.ts';
import type { ProviderCredentials } from '../../../../shared/domain/payments/provider/hosted-provider.ts';
import type { DoubleServer } from './http-server.ts';
import type { NotificationSender } from './notification-sender.ts';

/**
 * The ways in which a payer can pay on the page of a double.
 *
 * - `later`: the payer has done their part, and the provider does not know the outcome yet.
 * - `unanswered`: the bank does not answer. The payer can try again, and the bank can approve the attempt days later.
 */
export const payerActions = ['pay', 'decline', 'later', 'unanswered'] as const;
export type PayerAction = (typeof payerActions)[number];

/** A payment in the books of a double. Amounts are in the smallest unit of the currency. */
export interface BookedPayment {
  readonly reference: string;
  /** The key of the checkout, as the service stored it at the provider. */
  readonly key: string | undefined;
  readonly mode: Mode;
  /** Without a fee that the payer bears. */
  readonly amountMinor: number;
  /** In upper case. */
  readonly currency: string;
  /** The refunds that did not fail. */
  readonly refunds: readonly {
    readonly reference: string;
    readonly key: string | undefined;
    readonly amountMinor: number;
  }[];
}

export interface DoubleOptions {
  /** 0 or undefined selects any free port. */
  readonly port?: number;
  /** The clock of the double. The default is the clock of the service. */
  readonly now?: () => Instant;
  /** The host of the payer's pages, if it differs from the host of the interface. It must lead to the loopback address. */
  readonly pageHost?: string;
}

/** How the merchant's account is set up, and how the provider answers, within what it documents. Tests change it. */
export interface DoubleBehavior {
  /** Razorpay: the sign before the parameters that it adds to the return address. `?` is razorpay/razorpay-python#101. */
  callbackSeparator: '&' | '?';
  /** Razorpay: whether it takes a request that captures an authorized payment. */
  takesCaptures: boolean;
  /** Razorpay: whether a payment has the notes of its link. */
  copiesNotes: boolean;
  /** The largest payment that the merchant's account takes. Undefined: as the provider publishes. */
  maxAmountMinor: number | undefined;
  /** The country of the merchant's account. */
  country: string;
  /** Whether the provider takes the e-mail addresses of customers. */
  takesEmails: boolean;
  /** Stripe: how long after a payment its balance transaction is missing, in seconds. */
  feesAfterSeconds: number;
  /** The merchant's balance, below which a refund is refused. Undefined: there is enough. */
  balanceMinor: number | undefined;
  /** Razorpay: what the payer pays in addition if the merchant lets customers bear the fee. */
  customerFeeMinor: number;
  /**
   * Razorpay: what the payer pays more than the link asks for, such as a convenience fee (razorpay/razorpay-java#60), or less if
   * it is negative, such as with an offer (razorpay.com/docs/payments/offers).
   */
  differenceMinor: number;
}

export const newBehavior = (): DoubleBehavior => ({
  callbackSeparator: '&',
  takesCaptures: true,
  copiesNotes: true,
  maxAmountMinor: undefined,
  country: 'US',
  takesEmails: true,
  feesAfterSeconds: 2,
  balanceMinor: undefined,
  customerFeeMinor: 0,
  differenceMinor: 0,
});

/** The state of a double, and what changes it from outside. */
export interface DoubleAccount {
  readonly behavior: DoubleBehavior;
  /**
   * Does what a payer does on the page of a checkout.
   * @returns false if the checkout cannot be paid any more
   */
  act(reference: string, action: PayerAction): boolean;
  /** Decides the outcome of a payment that was made with `later` or `unanswered`. */
  settle(reference: string, outcome: 'succeeded' | 'failed'): void;
  /** Whether new refunds are pending until `settleRefund` decides their outcome. */
  pendingRefunds: boolean;
  /** Decides the outcome of a pending refund. @param reference the id at the provider */
  settleRefund(reference: string, outcome: 'succeeded' | 'failed'): void;
  /**
   * Refunds a payment as a merchant does in the provider's own dashboard: without a key of the service.
   * @returns the id of the refund
   */
  refundInDashboard(paymentReference: string, amountMinor: number): string;
  /**
   * Opens a dispute about a payment, or an inquiry, which a refund can settle: Stripe's `warning_needs_response`, Razorpay's
   * phase `retrieval`.
   * @returns the id of the dispute
   */
  openDispute(paymentReference: string, kind?: 'dispute' | 'inquiry'): string;
  /** @param outcome `closed` ends an inquiry */
  closeDispute(reference: string, outcome: 'won' | 'lost' | 'closed'): void;
  /** The payments that took money. */
  books(): readonly BookedPayment[];
}

export interface ProviderDouble extends DoubleServer, DoubleAccount {
  readonly credentials: Readonly<Record<Mode, ProviderCredentials>>;
  readonly notifications: NotificationSender;
}

/** Makes a double from its parts. */
export function toProviderDouble(
  parts: DoubleServer & Pick<ProviderDouble, 'credentials' | 'notifications'>,
  account: DoubleAccount,
): ProviderDouble {
  return {
    ...parts,
    behavior: account.behavior,
    act: (reference, action) => account.act(reference, action),
    settle: (reference, outcome) => account.settle(reference, outcome),
    get pendingRefunds() {
      return account.pendingRefunds;
    },
    set pendingRefunds(pending) {
      account.pendingRefunds = pending;
    },
    settleRefund: (reference, outcome) => account.settleRefund(reference, outcome),
    refundInDashboard: (reference, amountMinor) => account.refundInDashboard(reference, amountMinor),
    openDispute: (reference, kind) => account.openDispute(reference, kind),
    closeDispute: (reference, outcome) => account.closeDispute(reference, outcome),
    books: () => account.books(),
  };
}

/** Returns the URL with another host and the same port. Without a host, returns the URL. */
export function withHost(url: string, host: string | undefined): string {
  if (host === undefined) return url;
  const changed = new URL(url);
  changed.hostname = host;
  return changed.origin;
}
