/** Tests the states of a delivery: every status with every outcome of an attempt, and the whole schedule. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { draftEvent } from '../../../shared/domain/events/event.ts';
import {
  applyExtraAttempt,
  applyScheduledAttempt,
  type Delivery,
  type DeliveryAttempt,
  deliverySchema,
  isSuccess,
  newDelivery,
  restartSchedule,
  showDelivery,
  skipDelivery,
} from '../../../shared/domain/webhooks/delivery.ts';
import { deliveryType } from '../../../shared/domain/webhooks/record.ts';
import { fromItem, toItem } from '../../../shared/store/records.ts';

const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const now = Date.UTC(2026, 10, 21, 12);
const event = draftEvent(
  'invoice.paid',
  { id: `inv_${'0'.repeat(26)}`, objectVersion: 3, mode: 'test' },
  now,
  { id: `inv_${'0'.repeat(26)}` },
);
const endpoint = (status = 'enabled') => ({ id: `wh_${'0'.repeat(26)}`, status });
const fresh = newDelivery(owner, endpoint(), event, 7);
type Outcome = Omit<DeliveryAttempt, 'number'>;
const outcome = (fields: Partial<Outcome>): Outcome => ({ at: now, durationMs: 12, answer: '', ...fields });
const ok = outcome({ status: 200 });
const bad = outcome({ status: 500 });
const afterAttempt = (delivery: Delivery, attempt: Outcome, at = now, retryAfter?: string) =>
  applyScheduledAttempt(delivery, attempt, { retryAfter, random: 0.5, now: at });
const failed = () => {
  let delivery = fresh;
  for (let count = 0; count < 10; count++) delivery = afterAttempt(delivery, bad);
  return delivery;
};
const deliveries: Record<string, Delivery> = {
  pending: fresh,
  succeeded: afterAttempt(fresh, ok),
  failed: failed(),
  skipped: skipDelivery(fresh),
};

test('a new delivery is due at the time of its event, or skipped if the endpoint is disabled', () => {
  expect(fresh).toMatchObject({ status: 'pending', nextAttemptAt: now, attempts: [], tries: 0, version: 1 });
  const none = newDelivery(owner, endpoint('disabled'), event, 7);
  expect(none).toMatchObject({ status: 'skipped', attempts: [], createdAt: now });
  expect(none.nextAttemptAt).toBeUndefined();
});

test('the same event and endpoint give the same delivery, and it expires with its event', () => {
  expect(newDelivery(owner, endpoint(), event, 7)).toEqual(fresh);
  expect(newDelivery(owner, { ...endpoint(), id: `wh_${'1'.repeat(26)}` }, event, 7).id).not.toBe(fresh.id);
  expect(fresh.expiresAt).toBe(now / 1000 + 30 * 86_400);
});

test('delivery ids sort by the time of their events', () => {
  const idAt = (at: number, id: string) =>
    newDelivery(owner, endpoint(), { ...event, id, body: JSON.stringify({ timestamp: new Date(at) }) }, 1).id;
  const instant = fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) });
  fc.assert(
    fc.property(instant, instant, fc.string(), fc.string(), (one, other, id, otherId) => {
      const [first, second] = [idAt(one, id), idAt(other, otherId)];
      expect(first).toMatch(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/);
      if (one < other) expect(first < second).toBe(true);
    }),
  );
});

test('only a status from 200 to 299 is a success', () => {
  for (let status = 100; status < 600; status++) {
    expect(isSuccess({ status })).toBe(status >= 200 && status < 300);
  }
  expect(isSuccess({})).toBe(false);
});

test('a delivery has ten attempts with the waits of the schedule, and then it is failed', () => {
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
  let delivery = fresh;
  for (const [index, wait] of minutes.entries()) {
    delivery = afterAttempt(delivery, bad);
    expect(delivery).toMatchObject({ status: 'pending', nextAttemptAt: now + wait * 60_000 });
    expect(delivery.attempts).toHaveLength(index + 1);
  }
  delivery = afterAttempt(delivery, bad);
  expect(delivery).toMatchObject({ status: 'failed', tries: 10, version: 11 });
  expect(delivery.nextAttemptAt).toBeUndefined();
  expect(delivery.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each([200, 201, 204, 299])('%d at any attempt: succeeded, without a next attempt', (status) => {
  for (let before = 0; before < 10; before++) {
    let delivery = fresh;
    for (let count = 0; count < before; count++) delivery = afterAttempt(delivery, bad);
    delivery = afterAttempt(delivery, outcome({ status }));
    expect([delivery.status, delivery.nextAttemptAt, delivery.attempts.length]).toEqual([
      'succeeded',
      undefined,
      before + 1,
    ]);
  }
});

describe('Retry-After', () => {
  const waitOf = (fields: Partial<Outcome>, header: string) =>
    (afterAttempt(fresh, outcome(fields), now, header).nextAttemptAt ?? 0) - now;

  test.each([429, 503])('is honored with status %d', (status) => {
    expect(waitOf({ status }, '600')).toBe(600_000);
    expect(waitOf({ status }, new Date(now + 600_000).toUTCString())).toBe(600_000);
    expect(waitOf({ status }, '1')).toBe(5_000);
    expect(waitOf({ status }, '999999999')).toBe(86_400_000);
    expect(waitOf({ status }, 'soon')).toBe(5_000);
  });

  test('is ignored with any other status or failure', () => {
    for (const status of [301, 302, 307, 400, 401, 404, 408, 500, 502, 504]) {
      expect(waitOf({ status }, '600')).toBe(5_000);
    }
    expect(waitOf({ error: 'timeout' }, '600')).toBe(5_000);
  });

  test('does not add an attempt', () => {
    let delivery = fresh;
    for (let count = 0; count < 10; count++)
      delivery = afterAttempt(delivery, outcome({ status: 503 }), now, '60');
    expect(delivery.status).toBe('failed');
  });
});

test('410: failed immediately, also with Retry-After', () => {
  const gone = afterAttempt(fresh, outcome({ status: 410 }), now, '60');
  expect(gone).toMatchObject({ status: 'failed', tries: 1 });
  expect(gone.nextAttemptAt).toBeUndefined();
});

test('an attempt outside the schedule: a success ends the schedule, a failure is only recorded', () => {
  for (const [status, delivery] of Object.entries(deliveries)) {
    const { attempts, version, tries, nextAttemptAt } = delivery;
    const succeeded = applyExtraAttempt(delivery, ok);
    expect(succeeded).toMatchObject({ status: 'succeeded', version: version + 1, tries });
    expect(succeeded.nextAttemptAt).toBeUndefined();
    for (const attempt of [bad, outcome({ status: 410 }), outcome({ error: 'timeout' })]) {
      expect(applyExtraAttempt(delivery, attempt)).toEqual({
        ...delivery,
        status,
        version: version + 1,
        tries,
        nextAttemptAt,
        attempts: [...attempts, { ...attempt, number: attempts.length + 1 }],
      });
    }
  }
});

test('failed and skipped deliveries restart the schedule and keep their attempts; others do not change', () => {
  const later = now + 1000;
  for (const status of ['failed', 'skipped']) {
    const before = deliveries[status] as Delivery;
    expect(restartSchedule(before, later)).toEqual({
      ...before,
      status: 'pending',
      tries: 0,
      nextAttemptAt: later,
      version: before.version + 1,
    });
  }
  for (const status of ['pending', 'succeeded'])
    expect(restartSchedule(deliveries[status] as Delivery, later)).toBeUndefined();
  const again = afterAttempt(restartSchedule(deliveries.failed as Delivery, later) as Delivery, bad, later);
  expect(again).toMatchObject({ status: 'pending', tries: 1, nextAttemptAt: later + 5_000 });
  expect(again.attempts.at(-1)?.number).toBe(11);
});

test('the last 25 attempts are stored, with their own numbers', () => {
  let delivery = fresh;
  for (let count = 0; count < 60; count++) delivery = applyExtraAttempt(delivery, bad);
  const numbers = delivery.attempts.map(({ number }) => number);
  expect(numbers).toHaveLength(25);
  expect([numbers[0], numbers.at(-1)]).toEqual([36, 60]);
});

test('in all cases the version rises by one, attempt numbers are consecutive, and only pending deliveries are due', () => {
  const status = fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined });
  const step = fc.record({ status, extra: fc.boolean(), retryAfter: fc.string() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      let delivery = fresh;
      for (const { status: received, extra, retryAfter } of steps) {
        const before = delivery;
        const attempt = outcome(received === undefined ? { error: 'timeout' } : { status: received });
        if (extra) delivery = applyExtraAttempt(before, attempt);
        else if (before.status === 'pending') delivery = afterAttempt(before, attempt, now, retryAfter);
        else delivery = restartSchedule(before, now) ?? before;
        if (delivery !== before) expect(delivery.version).toBe(before.version + 1);
        expect(delivery.nextAttemptAt !== undefined).toBe(delivery.status === 'pending');
        const numbers = delivery.attempts.map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 1) + index));
        expect(v.is(deliverySchema, showDelivery(delivery))).toBe(true);
      }
    }),
  );
});

test('the API shows exactly the fields of a delivery, and all of them', () => {
  expect(showDelivery(afterAttempt(fresh, outcome({ error: 'timeout', answer: 'x' })))).toEqual({
    id: fresh.id,
    eventId: event.id,
    eventType: 'invoice.paid',
    status: 'pending',
    attempts: [
      {
        number: 1,
        at: '2026-11-21T12:00:00.000Z',
        durationMs: 12,
        status: null,
        error: 'timeout',
        cause: null,
        answer: 'x',
      },
    ],
    nextAttemptAt: '2026-11-21T12:00:05.000Z',
    createdAt: '2026-11-21T12:00:00.000Z',
  });
});

test('a delivery is stored completely', () => {
  const { webhookId } = fresh;
  const type = deliveryType(webhookId);
  for (const delivery of Object.values(deliveries)) {
    expect(fromItem(type, delivery, toItem(type, delivery, 'x'))).toEqual(delivery);
  }
});
