/** Tests the pure rules of timers: the next lease, the lag of the sweep, and which timers a repair moves. */
import { expect, test } from '@jest/globals';
import { planLease, type StoredTimer } from '../../../../shared/store/timers/lease-timers.ts';
import { dueMinute } from '../../../../shared/store/timers/repair-timers.ts';
import { sweepLagMs, type TimerState } from '../../../../shared/store/timers/timer-marks.ts';

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
  [9, 15, 10],
])('after %s messages, the next lease lasts %s minutes', (sends, minutes, next) => {
  const leasedUntil = time + minutes * minuteMs;
  expect(planLease(stored({ sends }), { time, layout: 'wide' })).toMatchObject({
    copy: { minute: present + minutes, layout: 'wide' },
    lease: { leasedUntil, sends: next },
  });
});

test('an item of an earlier release that was leased counts as sent once', () => {
  const item = stored({ leasedUntil: time - 1 });
  expect(planLease(item, { time, layout: 'wide' })?.lease).toEqual({
    leasedUntil: time + 4 * minuteMs,
    sends: 2,
  });
});

test('a timer is not leased while a lease lasts, and a lease always moves it to a later minute', () => {
  expect(planLease(stored({ leasedUntil: time + 1 }), { time, layout: 'wide' })).toBeUndefined();
  const early = planLease(stored({ minute: present + 30 }), { time, layout: 'wide' });
  expect(early?.copy.minute).toBe(present + 31);
});

test('a lease begins when the timer is due, also if it is sent before', () => {
  const due = time + 2 * minuteMs;
  expect(planLease(stored({ due }), { time, layout: 'wide' })?.lease.leasedUntil).toBe(due + 2 * minuteMs);
});

const state = (narrow: number, wide: number): TimerState => ({
  narrow: { closed: narrow, done: narrow },
  wide: { closed: wide, done: wide },
  wideFrom: 0,
});

test('the lag is that of the layout that is further behind, or how far a mark is ahead', () => {
  expect(sweepLagMs(state(present - 1, present - 1), time)).toBe(0);
  expect(sweepLagMs(state(present - 1, present - 8), time)).toBe(7 * minuteMs);
  expect(sweepLagMs(state(present - 3, present - 1), time)).toBe(2 * minuteMs);
  expect(sweepLagMs(state(present + 5, present - 1), time)).toBe(0);
  expect(sweepLagMs(state(present + 1440, present - 1), time)).toBe(1440 * minuteMs);
});

test('a repair moves only timers that are stored later than a right clock stores them', () => {
  const day = 1440;
  expect(dueMinute(stored({ due: time + day * minuteMs, minute: present + day }), time)).toBeUndefined();
  expect(dueMinute(stored({ due: time + 10 * minuteMs, minute: present + day }), time)).toBe(present + 10);
  expect(dueMinute(stored({ due: time - day * minuteMs, minute: present + day }), time)).toBe(present + 1);
  const leased = { due: time, leasedUntil: time + 15 * minuteMs, minute: present + 15 };
  expect(dueMinute(stored(leased), time)).toBeUndefined();
  expect(dueMinute(stored({ ...leased, minute: present + day }), time)).toBe(present + 1);
});
