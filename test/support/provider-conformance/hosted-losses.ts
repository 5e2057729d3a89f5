/** Tests lost messages: the call rejects, the caller does not know what happened, and calls again. */
import { expect, test } from '@jest/globals';
import type { HostedContext } from './hosted-options.ts';

export function hostedLossTests(context: HostedContext): void {
  const { provider, newRequest, begin, newPayment, newRefund, bookedFor, booked, double, forEachLoss } =
    context;

  test('of a beginning: the repeated call returns the one checkout', async () => {
    const rounds = await forEachLoss(async (lose) => {
      const request = newRequest();
      await lose(() => provider().begin(request));
      const { reference } = await begin(request);
      expect((await begin(request)).reference).toBe(reference);
      double().act(reference, 'pay');
      expect(await provider().status(request, undefined)).toMatchObject({ kind: 'paid' });
      expect(bookedFor(request)).toHaveLength(1);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
  });

  test('of a beginning: a void decides permanently that nobody pays', async () => {
    const rounds = await forEachLoss(async (lose) => {
      const request = newRequest();
      await lose(() => provider().begin(request));
      expect(await provider().void(request, undefined)).toEqual({ kind: 'expired' });
      const begun = await provider().begin(request);
      if (begun.kind === 'begun') expect(double().act(begun.reference, 'pay')).toBe(false);
      expect(bookedFor(request)).toHaveLength(0);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
  });

  test.each([true, false])('of a void: the repeated call voids (reference known: %s)', async (isKnown) => {
    const rounds = await forEachLoss(async (lose) => {
      const request = newRequest();
      const { reference } = await begin(request);
      const known = isKnown ? reference : undefined;
      await lose(() => provider().void(request, known));
      expect(await provider().void(request, known)).toEqual({ kind: 'expired' });
      expect(double().act(reference, 'pay')).toBe(false);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
  });

  test('of a void: a payment before the repeated call wins', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    const remove = double().faults.inject({ fault: { kind: 'lose', when: 'before' }, times: 99 });
    await expect(provider().void(request, reference)).rejects.toThrow();
    remove();
    double().act(reference, 'pay');
    expect(await provider().void(request, reference)).toMatchObject({ kind: 'paid' });
  });

  test('of a refund: the repeated call refunds once', async () => {
    const rounds = await forEachLoss(async (lose) => {
      const { reference } = await newPayment();
      const refund = newRefund(reference, 100_000);
      await lose(() => provider().refund(refund));
      const status = await provider().refundStatus(refund);
      expect(['done', 'absent']).toContain(status.kind);
      expect(await provider().refund(refund)).toEqual({ kind: 'done' });
      expect(booked(reference)?.refunds).toMatchObject([{ key: refund.key, amountMinor: 100_000 }]);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
  });

  test('of a refund that must be refused: the repeated call is refused, too', async () => {
    await forEachLoss(async (lose) => {
      const { reference, amountMinor } = await newPayment();
      const refund = newRefund(reference, amountMinor + 1);
      await lose(() => provider().refund(refund));
      expect(await provider().refund(refund)).toEqual({ kind: 'refused', code: 'refund_refused' });
      expect(booked(reference)?.refunds).toEqual([]);
    });
  });

  test.each(['before', 'after'] as const)(
    'of one server error %s the effect: the same call succeeds',
    async (when) => {
      const fault = { kind: 'answer', status: 500, body: '{"error":{"type":"api_error"}}', when } as const;
      const request = newRequest();
      double().faults.inject({ fault, on: ({ method }) => method === 'POST' });
      const begun = await provider()
        .begin(request)
        .catch(() => provider().begin(request));
      expect(begun.kind).toBe('begun');
      const { reference } = await begin(request);
      double().act(reference, 'pay');
      expect(await provider().status(request, undefined)).toMatchObject({ kind: 'paid' });
      const [payment] = bookedFor(request);
      const refund = newRefund(payment?.reference ?? '', 100_000);
      double().faults.inject({ fault, on: ({ method }) => method === 'POST' });
      await provider()
        .refund(refund)
        .catch(() => provider().refund(refund));
      expect(await provider().refund(refund)).toEqual({ kind: 'done' });
      expect(bookedFor(request)).toMatchObject([{ refunds: [{ key: refund.key, amountMinor: 100_000 }] }]);
    },
  );
}
