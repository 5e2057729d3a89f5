/** Tests that an end before a time that is due, and not made yet, ends the schedule. Pure. */
import { expect, test } from '@jest/globals';
import { createSchedule, updateSchedule } from '../../../shared/domain/schedules/transitions.ts';

const at = (text: string) => Date.parse(text);
const identity = {
  account: `acct_${'a'.repeat(16)}`,
  mode: 'test',
  id: `sch_${'0'.repeat(26)}`,
  seq: 1,
} as const;
const daily = { every: { n: 1, unit: 'day' }, startOn: '2026-12-01', hour: 9 } as const;
const created = createSchedule(identity, daily, 'UTC', at('2026-11-30T00:00:00Z')).record;
/** The third time is due since the morning, such as while the sweep is down. */
const due = { ...created, next: 3, nextAt: at('2026-12-03T09:00:00Z') };
const now = at('2026-12-03T12:00:00Z');

test.each([
  [{ endOn: '2026-12-02' }, 'ended'],
  [{ count: 2 }, 'ended'],
  [{ endOn: '2026-12-03' }, 'open'],
  [{ count: 3 }, 'open'],
  [{ hour: 10 }, 'open'],
] as const)('%p of a schedule whose third time is due: %s', (body, status) => {
  const changed = updateSchedule(due, body, false, now)?.change.record;
  expect(changed).toMatchObject({ status, next: 3 });
  expect(changed?.nextAt).toBe(status === 'open' ? due.nextAt : undefined);
});

test('an end before a time that a request has made due ends the schedule, too', () => {
  const running = { ...created, next: 3, nextAt: now - 1 };
  expect(updateSchedule(running, { endOn: '2026-12-02' }, false, now)?.change.record.status).toBe('ended');
});
