/**
 * Tests that a pause skips exactly the times that pass during it: against examples, and with random pauses, workers and requests against
 * a calculation by the instants. Pure. Takes two seconds.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dueNumber, isDue, nextNumbers } from '../../../shared/domain/schedules/pauses.ts';
import { instantOfTime } from '../../../shared/domain/schedules/recurrence.ts';
import { isPaused, type Occurrence, type Schedule } from '../../../shared/domain/schedules/schedule.ts';
import {
  createSchedule,
  failSchedule,
  makeTime,
  runNow,
  type ScheduleChange,
  skipTime,
  updateSchedule,
} from '../../../shared/domain/schedules/transitions.ts';

const hourMs = 3_600_000;
const at = (text: string) => Date.parse(`${text}:00Z`);
const identity = {
  account: `acct_${'a'.repeat(16)}`,
  mode: 'test',
  id: `sch_${'0'.repeat(26)}`,
  seq: 1,
} as const;
const daily = { every: { n: 1, unit: 'day' }, startOn: '2026-12-01', hour: 9 } as const;
const begin = at('2026-12-01T00:00');

/** A schedule with its history, and a clock that the test moves. */
class Run {
  schedule: Schedule;
  now = begin;
  readonly history: Occurrence[] = [];

  constructor(fields: object = {}) {
    this.schedule = createSchedule(identity, { ...daily, ...fields }, 'UTC', this.now).record;
  }

  /** Does as a transaction that puts each item of an occurrence only if it is absent. */
  #apply(changed: ScheduleChange | undefined): void {
    if (!changed) return;
    for (const occurrence of changed.occurrences) {
      const isTaken = this.history.some(({ number }) => number === occurrence.number);
      if (isTaken) throw new Error(`The time ${occurrence.number} has an item already.`);
      this.history.push(occurrence);
    }
    this.schedule = changed.change.record;
  }

  send(body: object): void {
    if (this.schedule.status === 'open') this.#apply(updateSchedule(this.schedule, body, false, this.now));
  }

  request(action: 'run' | 'skip'): void {
    if (this.schedule.status !== 'open' || isPaused(this.schedule)) return;
    const change = action === 'run' && runNow(this.schedule, this.now);
    if (action === 'skip') this.#apply(skipTime(this.schedule, this.now));
    else if (change) this.#apply({ change, occurrences: [] });
  }

  work(most = Number.POSITIVE_INFINITY): void {
    const planned = nextNumbers(this.schedule, this.now, 100);
    for (let made = 0; made < most && isDue(this.schedule, this.now); made++) {
      const number = dueNumber(this.schedule, this.now);
      if (made < planned.length) expect(number).toBe(planned[made]);
      this.#apply(makeTime(this.schedule, number, `inv_${number}`, this.now, true));
    }
  }

  fail(): void {
    if (!isDue(this.schedule, this.now)) return;
    const failure = { code: 'invalid_customer', message: 'It is deleted.' };
    this.#apply({ change: failSchedule(this.schedule, failure, this.now), occurrences: [] });
  }

  /** What came of each time, by its number. */
  outcomes(): string[] {
    const found: string[] = [];
    for (const { number, through, status, reason } of this.history) {
      for (let each = number; each <= through; each++) {
        if (found[each - 1] !== undefined) throw new Error(`The time ${each} has two outcomes.`);
        found[each - 1] = reason ?? status;
      }
    }
    return Array.from(found, (outcome) => outcome ?? 'open');
  }
}

/** The sweep is down for three days, then somebody pauses the schedule for two days. */
function pausedAfterOutage(fields: object = {}): Run {
  const run = new Run(fields);
  run.now = at('2026-12-03T12:00');
  run.send({ status: 'paused' });
  run.work();
  expect(run.history).toEqual([]);
  run.now = at('2026-12-05T12:00');
  return run;
}

test('times that were due before a pause are made after it, in order', () => {
  const run = pausedAfterOutage();
  run.send({ status: 'active' });
  expect(run.schedule).toMatchObject({ next: 1, nextAt: run.now });
  expect(run.history).toMatchObject([{ number: 4, through: 5, status: 'skipped', reason: 'paused' }]);
  run.work();
  expect(run.outcomes()).toEqual(['made', 'made', 'made', 'paused', 'paused']);
  expect(run.schedule).toMatchObject({ next: 6, nextAt: at('2026-12-06T09:00'), made: 3 });
  expect(run.schedule.skips).toBeUndefined();
});

test('of the times before a pause, only the newest is made if the schedule says so', () => {
  const run = pausedAfterOutage({ late: 'newest' });
  run.send({ status: 'active' });
  run.now = at('2026-12-07T12:00');
  run.work();
  expect(run.outcomes()).toEqual(['late', 'late', 'made', 'paused', 'paused', 'late', 'made']);
});

test('the next times begin with those that are made now, without what is skipped', () => {
  const next = (late: string) => {
    const run = pausedAfterOutage({ late });
    run.send({ status: 'active' });
    run.now = at('2026-12-08T12:00');
    return nextNumbers(run.schedule, run.now, 5);
  };
  expect(next('all')).toEqual([1, 2, 3, 6, 7]);
  expect(next('newest')).toEqual([3, 8, 9, 10, 11]);
});

test('an end that a request sets during the pause holds for the times before it, too', () => {
  const run = pausedAfterOutage({ count: 9 });
  run.send({ status: 'active', count: 2 });
  run.work();
  expect(run.outcomes()).toEqual(['made', 'made']);
  expect(run.schedule.status).toBe('ended');
});

test('an invoice that a request has made due before the pause is made after it', () => {
  const run = new Run();
  run.request('run');
  run.send({ status: 'paused' });
  run.now = at('2026-12-03T12:00');
  run.send({ status: 'active' });
  run.work();
  expect(run.outcomes()).toEqual(['made', 'paused', 'paused']);
});

test('what passes while a schedule has stopped by itself is made', () => {
  const run = new Run();
  run.now = at('2026-12-01T12:00');
  run.fail();
  run.now = at('2026-12-03T12:00');
  run.send({ status: 'active' });
  run.work();
  expect(run.outcomes()).toEqual(['made', 'made', 'made']);
});

const passes = fc.integer({ min: 1, max: 60 }).map((hours) => ({ does: 'pass', hours }) as const);
const pauses = fc.constantFrom({ does: 'pause' } as const, { does: 'resume' } as const);
const works = fc.integer({ min: 1, max: 4 }).map((most) => ({ does: 'work', most }) as const);
const requests = fc.oneof(
  fc.constantFrom({ does: 'run' } as const, { does: 'skip' } as const, { does: 'fail' } as const),
  fc.integer({ min: 0, max: 23 }).map((hour) => ({ does: 'hour', hour }) as const),
);
type StepOf<A> = A extends fc.Arbitrary<infer S> ? S : never;
type Step = StepOf<typeof passes | typeof pauses | typeof works | typeof requests>;

function take(run: Run, step: Step): void {
  if (step.does === 'pass') run.now += step.hours * hourMs;
  else if (step.does === 'pause') run.send({ status: 'paused' });
  else if (step.does === 'resume') run.send({ status: 'active' });
  else if (step.does === 'work') run.work(step.most);
  else if (step.does === 'hour') run.send({ hour: step.hour });
  else if (step.does === 'fail') run.fail();
  else run.request(step.does);
}

function finish(run: Run): void {
  run.send({ status: 'active' });
  run.work();
}

test('with random pauses and workers, exactly what passes during a pause is skipped', () => {
  const steps = fc.array(fc.oneof(passes, pauses, works), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (taken) => {
      const run = new Run();
      const spans: { from: number; to: number }[] = [];
      let pausedAt: number | undefined;
      const note = () => {
        if (isPaused(run.schedule)) pausedAt ??= run.now;
        else if (pausedAt !== undefined) {
          spans.push({ from: pausedAt, to: run.now });
          pausedAt = undefined;
        }
      };
      for (const step of taken) {
        take(run, step);
        note();
      }
      finish(run);
      note();
      const expected: string[] = [];
      for (let number = 1; ; number++) {
        const due = instantOfTime(run.schedule, number) ?? Number.NaN;
        if (!(due <= run.now)) break;
        expected.push(spans.some(({ from, to }) => due > from && due <= to) ? 'paused' : 'made');
      }
      expect(run.outcomes()).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test.each(['all', 'newest'] as const)(
  'with random requests beside them, each time has one outcome and none is left out (%s)',
  (late) => {
    const steps = fc.array(fc.oneof(passes, pauses, works, requests), { maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.option(fc.integer({ min: 1, max: 30 })), (taken, count) => {
        const run = new Run({ late, count });
        for (const step of taken) take(run, step);
        finish(run);
        expect(run.outcomes()).not.toContain('open');
        expect(run.outcomes()).toHaveLength(run.schedule.next - 1);
        expect(run.outcomes().length).toBeLessThanOrEqual(count ?? Number.POSITIVE_INFINITY);
        if (late === 'all') expect(run.outcomes()).not.toContain('late');
      }),
      { numRuns: 200 },
    );
  },
);
