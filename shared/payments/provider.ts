/**
 * The port to whoever moves the money. Every deed has a key of ours: however often it is asked for under that key,
 * at once or days apart, it is done once, and the answer is the same. A call that throws, or whose answer is lost,
 * has told nothing: the deed may have been done or not, and `status` will tell.
 *
 * What a provider must keep to is written down as tests: `test/support/provider-conformance.ts`.
 */
import type { Currency } from '../money.ts';
import type { Card } from './card.ts';
import type { FailureCode } from './failures.ts';

/** `done` and `refused` are final; `unknown`: not yet, ask again later. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly code: FailureCode }
  | { readonly kind: 'unknown' };

export interface PaymentProvider {
  /** Takes the money. Under a key that was voided: refused, and nothing is taken. */
  capture(request: {
    readonly key: string;
    readonly amountMinor: number;
    readonly currency: Currency;
    readonly card: Card;
  }): Promise<Outcome>;
  /** Gives money of a capture back. Refused if that capture is not done or has less left. */
  refund(request: {
    readonly key: string;
    readonly captureKey: string;
    readonly amountMinor: number;
  }): Promise<Outcome>;
  /** How the deed of that key stands; `absent`: it never arrived, though it still may. */
  status(key: string): Promise<Outcome | { readonly kind: 'absent' }>;
  /**
   * Makes sure that nothing is captured under the key any more. The answer is how the key stands then: `refused`
   * (nothing was taken nor ever will be), `done` (too late: it was taken) or `unknown` (too early or too late to say).
   */
  void(key: string): Promise<Outcome>;
}
