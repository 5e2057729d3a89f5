/** Provides the operations of the conformance suite and the checks of their outcomes. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { failures } from '../../../shared/domain/payments/provider/failures.ts';
import type { ProviderOutcome } from '../../../shared/domain/payments/provider/provider.ts';
import { waitUntil } from '../wait-until.ts';
import type { ConformanceOptions } from './conformance-options.ts';

export type ProviderOperations = ReturnType<typeof providerOperations>;

/** Returns the operations of a provider. Captures are of `amountMinor` and use the completing card by default. */
export function providerOperations({ provider, currency, cards, settle }: ConformanceOptions) {
  const capture = (key: string, card = cards.completing, at = provider()) =>
    at.capture({ key, amountMinor, currency, card });
  const status = (key: string) => provider().status(key);
  return {
    capture,
    status,
    refund: (key: string, captureKey: string, amount: number, at = provider()) =>
      at.refund({ key, captureKey, amountMinor: amount }),
    void: (key: string) => provider().void(key),
    /** Makes a new capture and returns its key. */
    newCapture: async () => {
      const key = newOperationKey();
      expect(await capture(key)).toEqual(doneOutcome);
      return key;
    },
    /** Waits until the outcome of the key is known, and returns it. A known outcome must not change. */
    finalOutcome: async (key: string) => {
      await settle();
      const outcome = await waitUntil(`the outcome of ${key} is known`, async () => {
        const current = await status(key);
        return current.kind === 'unknown' ? undefined : current;
      });
      expect(await status(key)).toEqual(outcome);
      return outcome;
    },
  };
}

export const doneOutcome: ProviderOutcome = { kind: 'done' };
export const refundRefusedOutcome: ProviderOutcome = { kind: 'refused', code: 'refund_refused' };
/** The amount of each capture of the suite. */
export const amountMinor = 1_000;

export const newOperationKey = () => `conformance-${randomUUID()}`;
export const runConcurrently = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
export const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Expects a refusal with a code for which the payer gets a message. */
export function expectRefused(outcome: ProviderOutcome | { kind: 'absent' }): void {
  expect(outcome.kind).toBe('refused');
  expect(Object.keys(failures)).toContain(outcome.kind === 'refused' && outcome.code);
}

/** Expects that each outcome that concurrent calls returned is the final one, or `unknown`. */
export function expectConsistentOutcomes(
  outcomes: readonly ProviderOutcome[],
  final: ProviderOutcome | { kind: 'absent' },
): void {
  const known = outcomes.filter(({ kind }) => kind !== 'unknown');
  expect(known).toEqual(repeated(known.length, final));
}
