/** Tests refunds: each key refunds once, and outcomes that take days. */
import { expect, test } from '@jest/globals';
import type { ListedPayment } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { dayMs, type HostedContext } from './hosted-options.ts';

export function hostedRefundTests(context: HostedContext): void {
  const { provider, newPayment, newRefund, booked, double, clock } = context;
  const [done, unknown] = [{ kind: 'done' }, { kind: 'unknown' }];
  const refused = { kind: 'refused', code: 'refund_refused' };

  /** Makes refunds pending during `work`. */
  const whilePending = async <T>(work: () => Promise<T>): Promise<T> => {
    double().pendingRefunds = true;
    return work().finally(() => {
      double().pendingRefunds = false;
    });
  };
  const referenceOf = (payment: string, key: string) =>
    booked(payment)?.refunds.find((refund) => refund.key === key)?.reference ?? '';

  test('of the same key happens once, one after another, in parallel and after days', async () => {
    const { reference } = await newPayment();
    const refund = newRefund(reference, 60_000);
    const all = await Promise.all(Array.from({ length: 10 }, () => provider().refund(refund)));
    all.push(await provider().refund(refund));
    clock().advance(3 * dayMs);
    all.push(await provider().refund(refund));
    expect(all).toEqual(all.map(() => done));
    expect(booked(reference)?.refunds).toMatchObject([{ key: refund.key, amountMinor: 60_000 }]);
  });

  test('in parts uses up the payment, and no more', async () => {
    const { reference, amountMinor } = await newPayment();
    const [first, rest] = [newRefund(reference, 100_000), newRefund(reference, amountMinor - 100_000)];
    expect(await provider().refund(first)).toEqual(done);
    expect(await provider().refund(newRefund(reference, amountMinor - 99_999))).toEqual(refused);
    expect(await provider().refund(rest)).toEqual(done);
    expect(await provider().refund(newRefund(reference, 100))).toEqual(refused);
    expect(booked(reference)?.refunds).toHaveLength(2);
  });

  test('with different keys in parallel never exceeds the payment', async () => {
    const { reference, amountMinor } = await newPayment();
    const refunds = Array.from({ length: 5 }, () => newRefund(reference, amountMinor / 2));
    const outcomes = await Promise.all(refunds.map((refund) => provider().refund(refund)));
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(2);
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(3);
    expect(booked(reference)?.refunds).toHaveLength(2);
  });

  test('is absent before it arrives, and its status is known then', async () => {
    const { reference } = await newPayment();
    const [refund, other] = [newRefund(reference, 10_000), newRefund(reference, 10_000)];
    expect(await provider().refundStatus(refund)).toEqual({ kind: 'absent' });
    await provider().refund(refund);
    expect(await provider().refundStatus(refund)).toEqual(done);
    expect(await provider().refundStatus(other)).toEqual({ kind: 'absent' });
  });

  test.each([
    ['succeeded', done],
    ['failed', refused],
  ] as const)('that is pending for days and has %s then keeps its outcome', async (outcome, expected) => {
    const { reference } = await newPayment();
    const refund = newRefund(reference, 60_000);
    await whilePending(async () => expect(await provider().refund(refund)).toEqual(unknown));
    clock().advance(4 * dayMs);
    expect(await provider().refundStatus(refund)).toEqual(unknown);
    expect(await provider().refund(refund)).toEqual(unknown);
    double().settleRefund(referenceOf(reference, refund.key), outcome);
    expect(await provider().refundStatus(refund)).toEqual(expected);
    expect(await provider().refund(refund)).toEqual(expected);
    expect(booked(reference)?.refunds).toHaveLength(outcome === 'succeeded' ? 1 : 0);
  });

  test('that was done can fail later, and its amount is left to refund', async () => {
    const { reference, amountMinor } = await newPayment();
    const refund = newRefund(reference, amountMinor);
    expect(await provider().refund(refund)).toEqual(done);
    double().settleRefund(referenceOf(reference, refund.key), 'failed');
    expect(await provider().refundStatus(refund)).toEqual(refused);
    expect((await provider().payment(reference))?.refundedMinor).toBe(0);
    expect(await provider().refund(newRefund(reference, amountMinor))).toEqual(done);
  });

  test('that is found among more than 100 others happens once', async () => {
    const { reference } = await newPayment();
    const refund = newRefund(reference, 100);
    await provider().refund(refund);
    for (let count = 0; count < 101; count++) await provider().refund(newRefund(reference, 100));
    clock().advance(3 * dayMs);
    expect(await provider().refundStatus(refund)).toEqual(done);
    expect(await provider().refund(refund)).toEqual(done);
    expect(booked(reference)?.refunds).toHaveLength(102);
  });

  test('is in the list of payments, with what is refunded', async () => {
    const since = clock().now();
    const all = [];
    for (let count = 0; count < 60; count++) all.push(await newPayment());
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error('There is no payment.');
    await provider().refund(newRefund(first.reference, 60_000));
    const pending = newRefund(second.reference, 70_000);
    await whilePending(() => provider().refund(pending));
    const failed = newRefund(third.reference, 80_000);
    await whilePending(() => provider().refund(failed));
    double().settleRefund(referenceOf(third.reference, failed.key), 'failed');
    const dispute = double().openDispute(first.reference);

    const listed = new Map<string, ListedPayment>();
    let cursor: string | undefined;
    do {
      const page = await provider().listPayments(since, cursor);
      for (const payment of page.payments) listed.set(payment.reference, payment);
      expect(page.payments.length).toBeLessThanOrEqual(100);
      cursor = page.next;
    } while (cursor !== undefined);
    const receivedAt = Math.floor(since / 1000) * 1000;
    for (const payment of all)
      expect(listed.get(payment.reference)).toMatchObject({
        ...payment,
        receivedAt,
        dispute: listed.get(payment.reference)?.dispute,
        refundedMinor: expect.any(Number),
      });
    expect([first, second, third].map(({ reference }) => listed.get(reference)?.refundedMinor)).toEqual([
      60_000, 70_000, 0,
    ]);
    expect(listed.get(first.reference)?.dispute?.reference).toBe(dispute);
    expect(listed.get(second.reference)?.dispute).toBeUndefined();
    clock().advance(60_000);
    expect((await provider().listPayments(clock().now(), undefined)).payments).toEqual([]);
  });

  test('with wrong credentials does not look refused', async () => {
    const { reference } = await newPayment();
    const wrong = context.create(context.wrongCredentials);
    await expect(wrong.refund(newRefund(reference, 100))).rejects.toThrow();
    await expect(wrong.refundStatus(newRefund(reference, 100))).rejects.toThrow();
  });
}
