/** Tests when an endpoint is disabled, and when its circuit opens. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  beginAttempt,
  endAttempt,
  type Health,
  shouldDisable,
} from '../../../shared/domain/webhooks/health.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
const now = Date.UTC(2026, 10, 21, 12);
let endpoints = 0;
const newEndpoint = () => `wh_${String(++endpoints).padStart(26, '0')}`;

const failing = (fields: Partial<Health> = {}): Health => ({
  failingSince: now - 5 * day,
  failures: 10,
  firstFailureAt: now - 12 * hour,
  lastFailureAt: now,
  ...fields,
});

test.each<[string, Partial<Health>, boolean]>([
  ['five days, ten failures, twelve hours apart', {}, true],
  ['a millisecond less than five days', { failingSince: now - 5 * day + 1 }, false],
  ['nine failures', { failures: 9 }, false],
  ['a millisecond less than twelve hours apart', { firstFailureAt: now - 12 * hour + 1 }, false],
  ['a last failure two hours ago', { firstFailureAt: now - 14 * hour, lastFailureAt: now - 2 * hour }, true],
])('disabled or not: %s', (_, fields, expected) => {
  expect(shouldDisable(failing(fields), now)).toBe(expected);
});

test('an endpoint without a failed delivery is never disabled, even if attempts fail for a long time', () => {
  expect(shouldDisable({ failingSince: now - 400 * day }, now)).toBe(false);
});

test('an endpoint is disabled exactly after five days and ten failures over twelve hours', () => {
  const ms = fc.integer({ min: 0, max: 8 * day });
  fc.assert(
    fc.property(ms, fc.integer({ min: 0, max: 20 }), ms, ms, (since, failures, one, other) => {
      const [first, last] = [Math.max(one, other), Math.min(one, other)];
      const health = failing({
        failingSince: now - since,
        failures,
        firstFailureAt: now - first,
        lastFailureAt: now - last,
      });
      const expected = since >= 5 * day && failures >= 10 && first - last >= 12 * hour;
      expect(shouldDisable(health, now)).toBe(expected);
    }),
  );
});

const timeOut = (id: string, health: Health | undefined, at = now) => {
  expect(beginAttempt(id, health, at)).toBe(true);
  return endAttempt(id, health, true, at);
};

test('three consecutive time-outs open the circuit for 30 seconds', () => {
  const id = newEndpoint();
  expect([timeOut(id, undefined), timeOut(id, undefined)]).toEqual([undefined, undefined]);
  expect(timeOut(id, undefined)).toEqual({ openMs: 30_000, openUntil: now + 30_000 });
});

test('any response resets the count, and other endpoints have their own count', () => {
  const [id, other] = [newEndpoint(), newEndpoint()];
  timeOut(id, undefined);
  timeOut(id, undefined);
  timeOut(other, undefined);
  expect(endAttempt(id, undefined, false, now)).toBeUndefined();
  expect([timeOut(id, undefined), timeOut(id, undefined)]).toEqual([undefined, undefined]);
  expect(timeOut(other, undefined)).toBeUndefined();
});

test('no attempt is made while the circuit is open, and then one probe at a time', () => {
  const id = newEndpoint();
  const open = failing({ openUntil: now + 30_000, openMs: 30_000 });
  expect(beginAttempt(id, open, now)).toBe(false);
  expect(beginAttempt(id, open, now + 29_999)).toBe(false);
  const later = now + 30_000;
  expect(beginAttempt(id, open, later)).toBe(true);
  expect(beginAttempt(id, open, later)).toBe(false);
  expect(endAttempt(id, open, false, later)).toBeUndefined();
  expect(beginAttempt(id, open, later)).toBe(true);
  endAttempt(id, open, false, later);
});

test('a time-out of a probe opens the circuit for twice as long, at most five minutes', () => {
  const id = newEndpoint();
  const waits = [];
  let health = failing({ openUntil: now, openMs: 30_000 });
  for (let round = 0; round < 6; round++) {
    const at = health.openUntil ?? now;
    const openCircuit = timeOut(id, health, at);
    waits.push(openCircuit?.openMs);
    expect(openCircuit?.openUntil).toBe(at + (openCircuit?.openMs ?? 0));
    health = failing(openCircuit);
  }
  expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
});
