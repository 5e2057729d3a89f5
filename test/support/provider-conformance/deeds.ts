/** The words of the conformance suite: deeds of a provider under new keys, and what is said of their outcomes. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { failures } from '../../../shared/payments/failures.ts';
import type { Outcome } from '../../../shared/payments/provider.ts';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { waitUntil } from '../wait-until.ts';

export type Deeds = ReturnType<typeof deedsOf>;

/** What the suite asks of the provider; captures are of `amountMinor`, and by the card that can pay if none is named. */
export function deedsOf({ provider, currency, cards, settle }: ConformanceOptions) {
  const capture = (key: string, card = cards.completing, at = provider()) =>
    at.capture({ key, amountMinor, currency, card });
  const status = (key: string) => provider().status(key);
  return {
    capture,
    status,
    refund: (key: string, captureKey: string, amount: number, at = provider()) =>
      at.refund({ key, captureKey, amountMinor: amount }),
    void: (key: string) => provider().void(key),
    /** The key of a new capture that is done. */
    captured: async () => {
      const key = newKey();
      expect(await capture(key)).toEqual(done);
      return key;
    },
    /** How the key stands once it is known, which is for good. */
    final: async (key: string) => {
      await settle();
      const outcome = await waitUntil(`the outcome of ${key} is known`, async () => {
        const now = await status(key);
        return now.kind === 'unknown' ? undefined : now;
      });
      expect(await status(key)).toEqual(outcome);
      return outcome;
    },
  };
}

export const done: Outcome = { kind: 'done' };
export const refundRefused: Outcome = { kind: 'refused', code: 'refund_refused' };
/** Every capture of the suite is of this amount. */
export const amountMinor = 1_000;

export const newKey = () => `conformance-${randomUUID()}`;
export const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
export const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Refused, with a code that a payer can be told. */
export function expectRefused(outcome: Outcome | { kind: 'absent' }): void {
  expect(outcome.kind).toBe('refused');
  expect(Object.keys(failures)).toContain(outcome.kind === 'refused' && outcome.code);
}

/** Answers given while others asked for the same: whoever was told an outcome was told how it stands in the end. */
export function expectAgreed(answers: readonly Outcome[], final: Outcome | { kind: 'absent' }): void {
  const told = answers.filter(({ kind }) => kind !== 'unknown');
  expect(told).toEqual(repeated(told.length, final));
}
