/**
 * Defines the port to a payment provider, which moves the money.
 *
 * - Each operation has a key that the service chooses. The provider executes the operation of a key once, even if the
 *   service requests it many times, in parallel or days apart. All requests get the same answer.
 * - A call that throws, or whose answer is lost, reveals nothing. The provider may have executed the operation or not.
 *   `status` returns which of the two happened.
 *
 * `test/support/provider-conformance/suite.ts` tests what a provider must guarantee.
 */
import type { Currency } from '../../../base/money.ts';
import type { Card } from './card.ts';
import type { FailureCode } from './failures.ts';

/**
 * The outcome of an operation. `done` and `refused` are final. `unknown` means that the provider does not know the
 * outcome yet, so the service must ask again later.
 */
export type ProviderOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly code: FailureCode }
  | { readonly kind: 'unknown' };

export interface PaymentProvider {
  /**
   * Takes money from the card.
   * @param request the amount is in the smallest currency unit. After `void(key)`, the capture of that key is `refused`
   *   and takes nothing.
   */
  capture(request: {
    readonly key: string;
    readonly amountMinor: number;
    readonly currency: Currency;
    readonly card: Card;
  }): Promise<ProviderOutcome>;
  /**
   * Returns money of a capture to the card. The refund is `refused` if the capture is not `done`, or if less than the
   * amount is left of it.
   */
  refund(request: {
    readonly key: string;
    readonly captureKey: string;
    readonly amountMinor: number;
  }): Promise<ProviderOutcome>;
  /** Returns the outcome of the operation of a key. `absent` means that it has not arrived, though it still can. */
  status(key: string): Promise<ProviderOutcome | { readonly kind: 'absent' }>;
  /**
   * Prevents a capture under the key, also one that has not arrived yet.
   * @returns the outcome of the capture after that. `refused`: no money was taken, and none ever will be. `done`: the
   *   void came too late, the money was taken. `unknown`: the provider cannot say yet.
   */
  void(key: string): Promise<ProviderOutcome>;
}
