/** What becomes of a delivery with each attempt: every status against every outcome, and the schedule as a whole. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { eventOf } from '../../../shared/events/event.ts';
import { fromItem, toItem } from '../../../shared/store/records.ts';
import {
  type Attempt,
  afterAttempt,
  afterExtraAttempt,
  type Delivery,
  deliverySchema,
  deliveryType,
  isSuccess,
  newDelivery,
  revived,
  showDelivery,
  skipped,
} from '../../../shared/webhooks/delivery.ts';

const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const now = Date.UTC(2026, 10, 21, 12);
const event = eventOf('invoice.paid', { id: `inv_${'0'.repeat(26)}`, objectVersion: 3, mode: 'test' }, now, {
  id: `inv_${'0'.repeat(26)}`,
});
const endpoint = (status = 'enabled') => ({ id: `wh_${'0'.repeat(26)}`, status });
const fresh = newDelivery(owner, endpoint(), event, 7);
type Outcome = Omit<Attempt, 'number'>;
const outcome = (fields: Partial<Outcome>): Outcome => ({ at: now, durationMs: 12, answer: '', ...fields });
const ok = outcome({ status: 200 });
const bad = outcome({ status: 500 });
const attempted = (delivery: Delivery, attempt: Outcome, at = now, retryAfter?: string) =>
  afterAttempt(delivery, attempt, { retryAfter, random: 0.5, now: at });
const failed = () => {
  let delivery = fresh;
  for (let count = 0; count < 10; count++) delivery = attempted(delivery, bad);
  return delivery;
};
const all: Record<string, Delivery> = {
  pending: fresh,
  succeeded: attempted(fresh, ok),
  failed: failed(),
  skipped: skipped(fresh),
};

test('a new delivery is due at the time of its event; to an endpoint that is disabled it is skipped', () => {
  expect(fresh).toMatchObject({ status: 'pending', nextAttemptAt: now, attempts: [], tries: 0, version: 1 });
  const none = newDelivery(owner, endpoint('disabled'), event, 7);
  expect(none).toMatchObject({ status: 'skipped', attempts: [], createdAt: now });
  expect(none.nextAttemptAt).toBeUndefined();
});

test('made twice it is the same, made for another endpoint another one; it is kept as long as its event', () => {
  expect(newDelivery(owner, endpoint(), event, 7)).toEqual(fresh);
  expect(newDelivery(owner, { ...endpoint(), id: `wh_${'1'.repeat(26)}` }, event, 7).id).not.toBe(fresh.id);
  expect(fresh.expiresAt).toBe(now / 1000 + 30 * 86_400);
});

test('ids are those of deliveries, and sort by the time of their events', () => {
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

test('success is 200 to 299 and nothing else', () => {
  for (let status = 100; status < 600; status++) {
    expect(isSuccess({ status })).toBe(status >= 200 && status < 300);
  }
  expect(isSuccess({})).toBe(false);
});

test('the whole schedule: ten attempts, at the waits that are promised, then failed', () => {
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
  let delivery = fresh;
  for (const [index, wait] of minutes.entries()) {
    delivery = attempted(delivery, bad);
    expect(delivery).toMatchObject({ status: 'pending', nextAttemptAt: now + wait * 60_000 });
    expect(delivery.attempts).toHaveLength(index + 1);
  }
  delivery = attempted(delivery, bad);
  expect(delivery).toMatchObject({ status: 'failed', tries: 10, version: 11 });
  expect(delivery.nextAttemptAt).toBeUndefined();
  expect(delivery.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each([200, 201, 204, 299])('%d at any attempt: succeeded, and nothing is due any more', (status) => {
  for (let before = 0; before < 10; before++) {
    let delivery = fresh;
    for (let count = 0; count < before; count++) delivery = attempted(delivery, bad);
    delivery = attempted(delivery, outcome({ status }));
    expect([delivery.status, delivery.nextAttemptAt, delivery.attempts.length]).toEqual([
      'succeeded',
      undefined,
      before + 1,
    ]);
  }
});

describe('Retry-After', () => {
  const waitOf = (fields: Partial<Outcome>, header: string) =>
    (attempted(fresh, outcome(fields), now, header).nextAttemptAt ?? 0) - now;

  test.each([429, 503])('%d: is honoured', (status) => {
    expect(waitOf({ status }, '600')).toBe(600_000);
    expect(waitOf({ status }, new Date(now + 600_000).toUTCString())).toBe(600_000);
    expect(waitOf({ status }, '1')).toBe(5_000);
    expect(waitOf({ status }, '999999999')).toBe(86_400_000);
    expect(waitOf({ status }, 'soon')).toBe(5_000);
  });

  test('of any other status or failure it is not', () => {
    for (const status of [301, 302, 307, 400, 401, 404, 408, 500, 502, 504]) {
      expect(waitOf({ status }, '600')).toBe(5_000);
    }
    expect(waitOf({ error: 'timeout' }, '600')).toBe(5_000);
  });

  test('does not make one attempt more', () => {
    let delivery = fresh;
    for (let count = 0; count < 10; count++)
      delivery = attempted(delivery, outcome({ status: 503 }), now, '60');
    expect(delivery.status).toBe('failed');
  });
});

test('410: failed at once, whatever the receiver asks for', () => {
  const gone = attempted(fresh, outcome({ status: 410 }), now, '60');
  expect(gone).toMatchObject({ status: 'failed', tries: 1 });
  expect(gone.nextAttemptAt).toBeUndefined();
});

test('an attempt outside the schedule: success ends the waiting ones, failure changes nothing but adds itself', () => {
  for (const [status, delivery] of Object.entries(all)) {
    const { attempts, version, tries, nextAttemptAt } = delivery;
    const succeeded = afterExtraAttempt(delivery, ok);
    expect(succeeded).toMatchObject({ status: 'succeeded', version: version + 1, tries });
    expect(succeeded.nextAttemptAt).toBeUndefined();
    for (const attempt of [bad, outcome({ status: 410 }), outcome({ error: 'timeout' })]) {
      expect(afterExtraAttempt(delivery, attempt)).toEqual({
        ...{ ...delivery, status, version: version + 1, tries, nextAttemptAt },
        attempts: [...attempts, { ...attempt, number: attempts.length + 1 }],
      });
    }
  }
});

test('failed and skipped ones begin the schedule anew and keep their attempts; others are left alone', () => {
  const later = now + 1000;
  for (const status of ['failed', 'skipped']) {
    const before = all[status] as Delivery;
    expect(revived(before, later)).toEqual({
      ...{ ...before, status: 'pending', tries: 0, nextAttemptAt: later, version: before.version + 1 },
    });
  }
  for (const status of ['pending', 'succeeded'])
    expect(revived(all[status] as Delivery, later)).toBeUndefined();
  const again = attempted(revived(all.failed as Delivery, later) as Delivery, bad, later);
  expect(again).toMatchObject({ status: 'pending', tries: 1, nextAttemptAt: later + 5_000 });
  expect(again.attempts.at(-1)?.number).toBe(11);
});

test('of many attempts the last ones are kept, with their own numbers', () => {
  let delivery = fresh;
  for (let count = 0; count < 60; count++) delivery = afterExtraAttempt(delivery, bad);
  const numbers = delivery.attempts.map(({ number }) => number);
  expect(numbers).toHaveLength(25);
  expect([numbers[0], numbers.at(-1)]).toEqual([36, 60]);
});

test('whatever happens, the version rises by one, attempts are numbered on, and only a pending one is due', () => {
  const status = fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined });
  const step = fc.record({ status, extra: fc.boolean(), retryAfter: fc.string() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let delivery = fresh;
      for (const { status: answered, extra, retryAfter } of steps) {
        const before = delivery;
        const attempt = outcome(answered === undefined ? { error: 'timeout' } : { status: answered });
        if (extra) delivery = afterExtraAttempt(before, attempt);
        else if (before.status === 'pending') delivery = attempted(before, attempt, now, retryAfter);
        else delivery = revived(before, now) ?? before;
        if (delivery !== before) expect(delivery.version).toBe(before.version + 1);
        expect(delivery.nextAttemptAt !== undefined).toBe(delivery.status === 'pending');
        const numbers = delivery.attempts.map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 1) + index));
        expect(v.is(deliverySchema, showDelivery(delivery))).toBe(true);
      }
    }),
  );
});

test('shown are exactly the fields of a delivery, none absent', () => {
  expect(showDelivery(attempted(fresh, outcome({ error: 'timeout', answer: 'x' })))).toEqual({
    ...{ id: fresh.id, eventId: event.id, eventType: 'invoice.paid', status: 'pending' },
    attempts: [
      {
        ...{ number: 1, at: '2026-11-21T12:00:00.000Z', durationMs: 12 },
        ...{ status: null, error: 'timeout', answer: 'x' },
      },
    ],
    nextAttemptAt: '2026-11-21T12:00:05.000Z',
    createdAt: '2026-11-21T12:00:00.000Z',
  });
});

test('what is kept of a delivery is all of it', () => {
  const { webhookId } = fresh;
  const type = deliveryType(webhookId);
  for (const delivery of Object.values(all)) {
    expect(fromItem(type, delivery, toItem(type, delivery, 'x'))).toEqual(delivery);
  }
});
