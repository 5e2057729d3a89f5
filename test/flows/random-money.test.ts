/** Moves the money of invoices in all ways at random and under faults, with some seeds. Each takes 20 seconds. */
import { expect, test } from '@jest/globals';
import { runRandomMoney } from '../model/money-run.ts';
import { stopClock } from '../support/clock.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';

/** Set MONEY_SEED to the seed of a failed run to repeat that run. */
const { MONEY_SEED } = process.env;
const seeds = MONEY_SEED ? [Number(MONEY_SEED)] : isExhaustive ? [1, 2, 3, 4, 5] : [1];

/** The requests that must have succeeded, so that a run is not one of refusals. */
const expected = [
  'POST /api/invoices 201',
  'POST /api/payments 201',
  'POST /api/payments/{id}/void 200',
  'POST /api/payments/{id}/resolve 200',
  'POST /api/refunds 201',
  'POST /api/statements 201',
  'POST /api/statements/{id}/rows/{id}/match 201',
  'POST /api/invoices/{id}/claim/reject 200',
  'DELETE /api/invoices/{id} 200',
  'PATCH /api/invoices/{id} 200',
];

const kinds = [
  ...['accepted', 'accepted and refunded', 'card', 'claim', 'credit', 'offline', 'over', 'provider'],
  'row',
];

const found = new Set<string>();

test.each(seeds)(
  'seed %i: parts, checkouts, voids, refunds, claims, rows of statements and credit lose no money under faults',
  async (seed) => {
    const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    try {
      const run = { seed, steps: 400, concurrency: 10, clock: stopClock() };
      const { violations, counts, payments } = await runRandomMoney(stack, run);
      expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
      expect({ seed, missing: expected.filter((name) => !counts[name]) }).toEqual({ seed, missing: [] });
      for (const kind of Object.keys(payments)) found.add(kind);
    } finally {
      await stack.close();
    }
  },
);

test('each kind of payment was in one of the runs', () => {
  expect(kinds.filter((kind) => !found.has(kind))).toEqual([]);
});
