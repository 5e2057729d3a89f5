/**
 * Defines the port to a provider with a hosted checkout. The payer enters the card on a page of the provider, so no card
 * data passes through this service.
 *
 * - Each checkout and each refund has a key that the service chooses. The provider executes the operation of a key once,
 *   even if the service requests it many times, in parallel or days apart.
 * - A call that throws, or whose answer is lost, reveals nothing. The provider may have executed the operation or not.
 *   `status` and `refundStatus` return which of the two happened.
 * - A call has a time limit, and reads a bounded part of the answer.
 *
 * `test/support/provider-conformance/hosted-suite.ts` tests what a provider must guarantee.
 */
import type { Currency } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import type { CardSummary } from './card.ts';
import type { FailureCode } from './failures.ts';
import type { ProviderOutcome } from './provider.ts';

export const hostedProviderNames = ['stripe', 'razorpay'] as const;
export type HostedProviderName = (typeof hostedProviderNames)[number];

/** What a provider gives to a merchant who uses it. */
export interface ProviderCredentials {
  /** Stripe: the secret or restricted key. Razorpay: the key id. */
  readonly apiKey: string;
  /** Razorpay: the key secret. Stripe has none. */
  readonly apiSecret?: string | undefined;
  /** The secrets that sign notifications. Several during a rotation. */
  readonly notificationSecrets: readonly string[];
}

/** A checkout as the service asks for it. Every call about a checkout sends the same values. */
export interface CheckoutRequest {
  /** The id of the checkout, `co_…`. */
  readonly key: string;
  readonly invoiceId: string;
  /** In the smallest unit of the currency. */
  readonly amountMinor: number;
  readonly currency: Currency;
  /** The description of the invoice. The adapter cuts it to the length that the provider takes. */
  readonly description: string;
  /** Fills in the payer's address on the page of the provider, and the provider can send its receipt there. */
  readonly customerEmail?: string | undefined;
  /** The provider sends the payer there, after the payment and when the payer gives up. */
  readonly returnUrl: string;
  /** When the checkout was created, and when it must end. Between 30 and 60 minutes later. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/**
 * Why a provider takes no such checkout.
 *
 * - `credentials`: the provider does not accept the credentials, or they lack a permission.
 * - `currency`: the merchant's account at the provider does not take the currency.
 * - `amount`: the amount is below or above the limits of the provider, or of the merchant's account.
 * - `request`: another reason, for example that the checkout would have to end too soon.
 */
export type RefusalReason = 'credentials' | 'currency' | 'amount' | 'request';

/** The answer to `begin`. `refused` is final: nobody can pay the checkout. */
export type BegunCheckout =
  | {
      readonly kind: 'begun';
      /** The page of the provider. */
      readonly redirectUrl: string;
      /** The id of the checkout at the provider. */
      readonly reference: string;
      readonly expiresAt: Instant;
    }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** What the provider keeps of a payment, in the smallest unit of the currency in which it settles with the merchant. */
export interface ProviderFees {
  /** With the tax. */
  readonly amountMinor: number;
  readonly taxMinor: number;
  /** What the merchant gets. Below zero if the fee is larger than the payment. */
  readonly netMinor: number;
  /** In upper case. It can be a currency that the service does not know. */
  readonly currency: string;
}

/** A payment as the provider has it. The service compares it with the checkout, and trusts none of its values. */
export interface ReceivedPayment {
  /** The id of the payment at the provider. Refunds and disputes refer to it. */
  readonly reference: string;
  /** The key of the checkout that the payment belongs to, as the provider stored it. */
  readonly key: string | undefined;
  readonly amountMinor: number;
  /** In upper case. It can be a currency that the service does not know. */
  readonly currency: string;
  readonly card: CardSummary | null;
  /** The sum of the refunds that succeeded or are pending. */
  readonly refundedMinor: number;
  /** Undefined: not known yet. Null: the provider does not tell. `status` and `listPayments` can leave them out. */
  readonly fees: ProviderFees | null | undefined;
  /** Undefined if the payment was never disputed. */
  readonly dispute: Dispute | undefined;
}

/** A payment in the provider's books. */
export interface ListedPayment extends ReceivedPayment {
  readonly receivedAt: Instant;
}

export interface Dispute {
  /** The id of the dispute at the provider. */
  readonly reference: string;
  /**
   * `inquiry`: the bank has asked the merchant, and no money has moved. `closed`: an inquiry has ended. `open`, `won` and `lost`
   * are about a chargeback.
   */
  readonly status: 'inquiry' | 'open' | 'won' | 'lost' | 'closed';
  /** Whether the provider still takes refunds of the payment. */
  readonly isRefundable: boolean;
  readonly amountMinor: number;
  /** The provider's word for the reason, for example `fraudulent`. */
  readonly reason: string;
  /** Until when the merchant must answer at the provider. */
  readonly respondBy?: Instant | undefined;
}

/** Whether a dispute has no outcome yet. The worker asks about it every day. */
export const isUndecided = (status: Dispute['status'] | undefined): boolean =>
  status === 'open' || status === 'inquiry';

/**
 * The state of a checkout.
 *
 * - `open`: the payer can still pay.
 * - `processing`: the payer has done their part, and the provider does not know the outcome yet. It can take days.
 * - `paid` and `refused` are final. `refused`: the payment failed, and nothing was taken.
 * - `expired`: nothing was taken, and nobody can begin to pay any more. A voided checkout is `expired`. It becomes `paid` if a
 *   bank approves an earlier attempt late.
 * - `absent`: the provider does not have the checkout, though it can still arrive.
 */
export type CheckoutState =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'processing';
      /** `bank`: the bank decides. `capture`: the payment is authorized. `unknown`: the provider does not document the status. */
      readonly reason: 'bank' | 'capture' | 'unknown';
    }
  | { readonly kind: 'paid'; readonly payment: ReceivedPayment }
  | { readonly kind: 'refused'; readonly code: FailureCode }
  | {
      readonly kind: 'expired';
      /** Until when a bank can still approve an attempt that has failed. Undefined if no attempt can succeed any more. */
      readonly lateUntil?: Instant;
    }
  | { readonly kind: 'absent' };

export interface ProviderRefundRequest {
  readonly key: string;
  /** The id of the payment at the provider. */
  readonly paymentReference: string;
  readonly amountMinor: number;
  readonly currency: Currency;
}

/** A refund of a payment at the provider. */
export interface ListedRefund {
  /** The id of the refund at the provider. */
  readonly reference: string;
  /** The key of the refund, if this service made it. Undefined if somebody made it in the provider's own dashboard. */
  readonly key: string | undefined;
  readonly amountMinor: number;
  readonly outcome: ProviderOutcome;
}

/**
 * What a notification is about. It is a hint: the service then asks the provider.
 *
 * - `invalid`: the signature is wrong, or the timestamp is older or newer than the tolerance.
 * - `ignored`: the signature is correct, and the service needs nothing of it.
 */
export type Notification =
  | { readonly kind: 'checkout'; readonly key: string }
  | { readonly kind: 'payment'; readonly reference: string }
  /** A refund that this service asked for, and the payment that it belongs to. */
  | { readonly kind: 'refund'; readonly key: string; readonly paymentReference: string }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'invalid' };

export interface HostedProvider {
  readonly name: HostedProviderName;
  readonly abilities: {
    /** The currencies that the provider can take. The merchant's account may take fewer. */
    readonly currencies: readonly Currency[];
    readonly partialRefunds: boolean;
    readonly voids: boolean;
  };
  /** Creates the checkout. With the same key, returns the same checkout. */
  begin(request: CheckoutRequest): Promise<BegunCheckout>;
  /**
   * Returns the state of a checkout.
   * @param reference the id at the provider, or undefined if the answer to `begin` was lost. The adapter then finds the
   *   checkout by its key.
   * @param isQuick a payer waits, so the adapter makes one call. Then it can miss that an attempt of an open checkout is in
   *   progress.
   */
  status(request: CheckoutRequest, reference: string | undefined, isQuick?: boolean): Promise<CheckoutState>;
  /**
   * Prevents that anybody pays the checkout from now on.
   * @returns the state after that: `expired`, `paid`, `refused` or `processing`. `open` if the provider has no voids.
   */
  void(request: CheckoutRequest, reference: string | undefined): Promise<CheckoutState>;
  /** Returns a payment of a checkout, with its dispute. Undefined if the provider does not have it. */
  payment(reference: string): Promise<ReceivedPayment | undefined>;
  /** Returns money of a payment. With the same key, returns the outcome of the same refund. */
  refund(request: ProviderRefundRequest): Promise<ProviderOutcome>;
  /**
   * Returns the outcome of a refund. `absent`: it has not arrived, though it still can. `unknown` can last for days. A refund
   * that is `done` can be `refused` weeks later, if the bank of the payer returns the money.
   */
  refundStatus(request: ProviderRefundRequest): Promise<ProviderOutcome | { readonly kind: 'absent' }>;
  /** Returns all refunds of a payment, also those that this service did not make. */
  refunds(paymentReference: string): Promise<readonly ListedRefund[]>;
  /**
   * Verifies and reads a notification of the provider.
   * @param headers with names in lower case
   * @param rawBody the bytes as they arrived
   */
  readNotification(
    headers: Readonly<Record<string, string | undefined>>,
    rawBody: Uint8Array,
    now: Instant,
  ): Notification;
  /**
   * Lists the payments that the provider received for checkouts of this service, newest first, at most 100 a page. A page can
   * be empty although another one follows.
   * @param since leaves out payments that the payer began earlier
   * @param cursor `next` of the page before, or undefined for the first page
   */
  listPayments(
    since: Instant,
    cursor: string | undefined,
  ): Promise<{ readonly payments: readonly ListedPayment[]; readonly next: string | undefined }>;
  /**
   * Checks the credentials with a call that changes nothing.
   * @returns `ok` with the name and the id that the provider has for the merchant's account, and whether its keys are for
   *   live mode. The id is undefined if the credentials do not reveal it.
   */
  check(): Promise<
    | {
        readonly kind: 'ok';
        readonly accountName: string;
        readonly accountReference?: string | undefined;
        /** The country of the account (ISO 3166-1, two uppercase letters), if the credentials reveal it. */
        readonly accountCountry?: string | undefined;
        readonly isLive: boolean;
      }
    | { readonly kind: 'refused'; readonly message: string }
  >;
}

/** The call could not be made, or its answer was not understood. The text holds no secret. */
export class ProviderCallError extends Error {
  override readonly name = 'ProviderCallError';
  /** The HTTP status of the answer, or undefined if there was none. */
  readonly status: number | undefined;
  /** The answer is one that the provider stored earlier. Each further request under the same key gets it again. */
  readonly isReplayed: boolean;
  constructor(message: string, status?: number, isReplayed = false) {
    super(message);
    this.status = status;
    this.isReplayed = isReplayed;
  }
}
