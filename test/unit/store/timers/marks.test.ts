/** Tests the pure rules of timers: the next lease, and the lag of the sweep. */
import { expect, test } from '@jest/globals';
import { planLease } from '../../../../shared/store/timers/lease-timers.ts';
import type { StoredTimer } from '../../../../shared/store/timers/timer-item.ts';
import { sweepLagMs } from '../../../../shared/store/timers/timer-marks.ts';

const minuteMs = 60_000;
const present = 29_000_000;
const time = present * minuteMs + 10_000;
const stored = (fields: Partial<StoredTimer> = {}): StoredTimer => ({
  pk: 'TIMER#1#1',
  sk: '1',
  due: time,
  kind: 'overdue',
  reference: 'inv_1',
  minute: present,
  ...fields,
});

test.each([
  [undefined, 2, 1],
  [1, 4, 2],
  [2, 8, 3],
  [3, 15, 4],
  [5, 15, 6],
  [6, 30, 7],
  [7, 60, 8],
  [12, 60, 13],
])('after %s messages, the next lease lasts %s minutes', (sends, minutes, next) => {
  const leasedUntil = time + minutes * minuteMs;
  expect(planLease(stored({ sends }), { time })).toMatchObject({
    copy: { minute: present + minutes },
    lease: { leasedUntil, sends: next },
  });
});

test('a timer that was leased when it was stored counts as sent once', () => {
  const item = stored({ leasedUntil: time - 1 });
  expect(planLease(item, { time })?.lease).toEqual({
    leasedUntil: time + 4 * minuteMs,
    sends: 2,
  });
});

test('a timer is not leased while a lease lasts, and a lease always moves it to a later minute', () => {
  expect(planLease(stored({ leasedUntil: time + 1 }), { time })).toBeUndefined();
  const early = planLease(stored({ minute: present + 30 }), { time });
  expect(early?.copy.minute).toBe(present + 31);
});

test('a lease begins when the timer is due, also if it is sent before', () => {
  const due = time + 2 * minuteMs;
  expect(planLease(stored({ due }), { time })?.lease.leasedUntil).toBe(due + 2 * minuteMs);
});

test('the lag is the time since the last minute whose timers are all leased, except the present minute', () => {
  const lagOf = (done: number) => sweepLagMs({ closed: present - 1, done }, time);
  expect([present - 1, present - 8, present].map(lagOf)).toEqual([0, 7 * minuteMs, 0]);
});
