/**
 * What the port of `shared/payments/provider.ts` promises, as tests that every provider must pass. Whoever writes
 * the next one calls `providerConformance` in a test file of its own, against the provider's sandbox or emulator.
 */
import { describe } from '@jest/globals';
import type { Currency } from '../../shared/money.ts';
import type { Card } from '../../shared/payments/card.ts';
import type { PaymentProvider } from '../../shared/payments/provider.ts';
import { captureTests } from './provider-conformance/capture.ts';
import { deedsOf } from './provider-conformance/deeds.ts';
import { lostMessageTests } from './provider-conformance/lost-messages.ts';
import { processTests } from './provider-conformance/processes.ts';
import { refundTests } from './provider-conformance/refund.ts';
import { refundRaceTests } from './provider-conformance/refund-races.ts';
import { unknownTests } from './provider-conformance/unknown-outcomes.ts';
import { voidTests } from './provider-conformance/void.ts';

export interface ConformanceOptions {
  readonly provider: () => PaymentProvider;
  /** The same provider as another process sees it, which knows nothing that this one keeps in memory. */
  readonly elsewhere: () => PaymentProvider;
  readonly currency: Currency;
  readonly cards: {
    readonly completing: Card;
    readonly declined: Card;
    /** Its captures are `unknown` at first, then `done`. Without it nothing is tested of such outcomes. */
    readonly unknownAtFirst?: Card;
    /** Its refunds are `unknown` at first, then `refused`. */
    readonly refundFailsLater?: Card;
  };
  /** Lets so much time pass that what is `unknown` will be known soon. */
  readonly settle: () => void | Promise<void>;
  /**
   * What was taken under a capture's key and not given back, by the provider's own books and not through the port:
   * what was done twice under one key does not show there.
   */
  readonly takenMinor: (captureKey: string) => Promise<number>;
  /**
   * Makes `call`, whose message number `nth` (from 0) to the provider is lost, `before` or `after` it took effect.
   * Resolves to true if `call` rejected for that, to false if it has no such message.
   */
  readonly losing: (nth: number, when: 'before' | 'after', call: () => Promise<unknown>) => Promise<boolean>;
  /** Rounds of each race. */
  readonly rounds?: number;
}

/** Registers the suite for the provider called `name`. */
export function providerConformance(name: string, options: ConformanceOptions): void {
  const deeds = deedsOf(options);
  describe(`${name} keeps to the port`, () => {
    describe('capture', () => captureTests(options, deeds));
    describe('void', () => voidTests(options, deeds));
    describe('refund', () => refundTests(options, deeds));
    describe('refund, many at once', () => refundRaceTests(options, deeds));
    describe('an outcome that is unknown at first', () => unknownTests(options, deeds));
    describe('a message that is lost', () => lostMessageTests(options, deeds));
    describe('another process', () => processTests(options, deeds));
  });
}
