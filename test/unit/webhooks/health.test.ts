/** When an endpoint is given up, and when it is left alone for a while. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endAttempt, type Health, isGivenUp, mayAttempt } from '../../../shared/webhooks/health.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
const now = Date.UTC(2026, 10, 21, 12);
let endpoints = 0;
const newEndpoint = () => `wh_${String(++endpoints).padStart(26, '0')}`;

const failing = (fields: Partial<Health> = {}): Health => ({
  ...{ failingSince: now - 5 * day, failures: 10 },
  ...{ firstFailureAt: now - 12 * hour, lastFailureAt: now },
  ...fields,
});

test.each<[string, Partial<Health>, boolean]>([
  ['five days, ten failures, twelve hours', {}, true],
  ['a millisecond less than five days', { failingSince: now - 5 * day + 1 }, false],
  ['nine failures', { failures: 9 }, false],
  ['a millisecond less than twelve hours apart', { firstFailureAt: now - 12 * hour + 1 }, false],
  ['a last failure a while ago', { firstFailureAt: now - 14 * hour, lastFailureAt: now - 2 * hour }, true],
])('given up by: %s', (_, fields, expected) => {
  expect(isGivenUp(failing(fields), now)).toBe(expected);
});

test('an endpoint without a failed delivery is never given up, however long it has failed', () => {
  expect(isGivenUp({ failingSince: now - 400 * day }, now)).toBe(false);
});

test('given up is exactly: five days, ten failures, the first and the last twelve hours apart', () => {
  const ms = fc.integer({ min: 0, max: 8 * day });
  fc.assert(
    fc.property(ms, fc.integer({ min: 0, max: 20 }), ms, ms, (since, failures, one, other) => {
      const [first, last] = [Math.max(one, other), Math.min(one, other)];
      const health = failing({
        ...{ failingSince: now - since, failures },
        ...{ firstFailureAt: now - first, lastFailureAt: now - last },
      });
      const expected = since >= 5 * day && failures >= 10 && first - last >= 12 * hour;
      expect(isGivenUp(health, now)).toBe(expected);
    }),
  );
});

const timesOut = (id: string, health: Health | undefined, at = now) => {
  expect(mayAttempt(id, health, at)).toBe(true);
  return endAttempt(id, health, true, at);
};

test('three time-outs in a row and the endpoint is left alone for 30 seconds', () => {
  const id = newEndpoint();
  expect([timesOut(id, undefined), timesOut(id, undefined)]).toEqual([undefined, undefined]);
  expect(timesOut(id, undefined)).toEqual({ openMs: 30_000, openUntil: now + 30_000 });
});

test('any answer between them begins the count anew, and other endpoints do not count', () => {
  const [id, other] = [newEndpoint(), newEndpoint()];
  timesOut(id, undefined);
  timesOut(id, undefined);
  timesOut(other, undefined);
  expect(endAttempt(id, undefined, false, now)).toBeUndefined();
  expect([timesOut(id, undefined), timesOut(id, undefined)]).toEqual([undefined, undefined]);
  expect(timesOut(other, undefined)).toBeUndefined();
});

test('while it is left alone no attempt is made; then one at a time finds out', () => {
  const id = newEndpoint();
  const open = failing({ openUntil: now + 30_000, openMs: 30_000 });
  expect(mayAttempt(id, open, now)).toBe(false);
  expect(mayAttempt(id, open, now + 29_999)).toBe(false);
  const later = now + 30_000;
  expect(mayAttempt(id, open, later)).toBe(true);
  expect(mayAttempt(id, open, later)).toBe(false);
  expect(endAttempt(id, open, false, later)).toBeUndefined();
  expect(mayAttempt(id, open, later)).toBe(true);
  endAttempt(id, open, false, later);
});

test('one time-out while finding out and it is left alone for twice as long, five minutes at most', () => {
  const id = newEndpoint();
  const waits = [];
  let health = failing({ openUntil: now, openMs: 30_000 });
  for (let round = 0; round < 6; round++) {
    const at = health.openUntil ?? now;
    const opening = timesOut(id, health, at);
    waits.push(opening?.openMs);
    expect(opening?.openUntil).toBe(at + (opening?.openMs ?? 0));
    health = failing(opening);
  }
  expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
});
