/** Describes a payment provider to the conformance suite. */
import type { Currency } from '../../../shared/base/money.ts';
import type { Card } from '../../../shared/domain/payments/provider/card.ts';
import type { PaymentProvider } from '../../../shared/domain/payments/provider/provider.ts';

export interface ConformanceOptions {
  readonly provider: () => PaymentProvider;
  /** The same provider in another process, which does not share this process's memory. */
  readonly otherProcess: () => PaymentProvider;
  readonly currency: Currency;
  readonly cards: {
    readonly completing: Card;
    readonly declined: Card;
    /** Its captures are `unknown` at first, then `done`. Without this card, such outcomes are not tested. */
    readonly unknownAtFirst?: Card;
    /** Its refunds are `unknown` at first, then `refused`. */
    readonly refundFailsLater?: Card;
  };
  /** Lets enough time pass that each `unknown` outcome becomes known soon. */
  readonly settle: () => void | Promise<void>;
  /**
   * Returns the amount that was captured under the key and not refunded, in the smallest currency unit. Reads it from
   * the provider's own records, because the port does not show a duplicate operation under one key.
   */
  readonly netCapturedMinor: (captureKey: string) => Promise<number>;
  /**
   * Runs `call` and loses its message number `nth` (from 0) to the provider, `before` or `after` the message took effect.
   * Returns true if `call` rejected because of that, and false if it has no such message.
   */
  readonly loseMessage: (
    nth: number,
    when: 'before' | 'after',
    call: () => Promise<unknown>,
  ) => Promise<boolean>;
  /** How often each race is repeated. */
  readonly rounds?: number;
}
