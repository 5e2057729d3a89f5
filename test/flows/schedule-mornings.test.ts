/**
 * Tests schedules after an outage and at the busiest moment: a sweep that was stopped for three days catches up, each time once and in
 * order, and 10,000 schedules that are due at the same moment make one invoice each. The second takes six minutes on two cores.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { scheduleBody } from '../contract/examples.ts';
import { type Api, newAccount } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const [accounts, schedulesOfAccount] = [20, 500];
const dayMs = 86_400_000;
const daily = { every: { n: 1, unit: 'day' }, timeZone: 'UTC', hour: 0 };

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const newApi = async (): Promise<Api> => inNewestVersion((await newAccount(stack.baseUrl)).test);
const dayAfter = (at: number, days: number) => new Date(at + days * dayMs).toISOString().slice(0, 10);

/** Stores the schedules of an account, which are due at `due`, as if each was created by a request. */
async function storeSchedules(due: number): Promise<{ id: string; account: string }[]> {
  const api = await newApi();
  const { id: model } = (await api.post('/api/schedules', scheduleBody())).json;
  const table = tableOf(stack);
  const [record, template] = await Promise.all([
    table.get(tableKeys.record(model)),
    table.get(tableKeys.scheduleTemplate(model)),
  ]);
  const ids = Array.from({ length: schedulesOfAccount }, (_, number) => {
    const suffix = String(number).padStart(4, '0');
    return `${model.slice(0, -suffix.length)}${suffix}`;
  });
  await table.putAll(
    ids.flatMap((id): TestItem[] => [
      { ...record, ...tableKeys.record(id), id, nextAt: due } as TestItem,
      { ...template, ...tableKeys.scheduleTemplate(id) } as TestItem,
    ]),
  );
  return ids.map((id) => ({ id, account: String(record?.account) }));
}

test('10,000 schedules of midnight on the first make one invoice each', async () => {
  const { setTimer } = await import('../../shared/store/timers/timers.ts');
  const { scheduleTimer } = await import('../../shared/domain/schedules/transitions.ts');
  const { limitConcurrency } = await import('../../shared/base/limit-concurrency.ts');
  const due = Date.now() + 90_000;
  const stored: { id: string; account: string }[] = [];
  for (let account = 0; account < accounts; account++) stored.push(...(await storeSchedules(due)));
  const ids = stored.map(({ id }) => id);
  const limited = limitConcurrency(16);
  await Promise.all(stored.map((each) => limited(() => setTimer(scheduleTimer(each, due), Date.now()))));
  const table = tableOf(stack);
  const recordsOf = async (prefix: string) =>
    (await table.all(prefix)).filter(({ sk }) => sk === tableKeys.record('').sk);
  const isAllMade = async () => {
    const schedules = await recordsOf('sch_');
    return schedules.filter(({ last }) => last !== undefined).length >= ids.length;
  };
  // A scan takes seconds of the time that is measured, so a sample is read first.
  const sample = ids.filter((_, index) => index % 100 === 0);
  const isSampleMade = async () => {
    const records = await Promise.all(sample.map((id) => table.get(tableKeys.record(id))));
    return records.every((record) => record?.last !== undefined);
  };
  await waitUntil('a sample of the invoices', isSampleMade, { deadlineMs: 3_400_000, everyMs: 5_000 });
  await waitUntil('all invoices', isAllMade, { deadlineMs: 3_400_000, everyMs: 10_000 });
  const schedules = (await recordsOf('sch_')).filter(({ pk }) => ids.includes(String(pk)));
  expect(schedules.map(({ made }) => made)).toEqual(ids.map(() => 1));
  const invoices = await recordsOf('inv_');
  const bySchedule = invoices.flatMap(({ scheduleId }) =>
    ids.includes(String(scheduleId)) ? [scheduleId] : [],
  );
  expect(bySchedule.sort()).toEqual([...ids].sort());
  const lastAt = Math.max(...schedules.map(({ last }) => (last as { at: number }).at));
  process.stdout.write(`${ids.length} invoices, the last ${(lastAt - due) / 1000} s after midnight\n`);
}, 3_600_000);

// The last test, because its clock is ahead of that of the others.
test('after three days without a sweep, each time is made once, in order', async () => {
  const clock = stopClock();
  await stack.schedule.pause();
  const api = await newApi();
  const first = dayAfter(clock.now(), 1);
  const create = async (fields: object = {}) =>
    (await api.post('/api/schedules', scheduleBody({ ...daily, startOn: first, ...fields }))).json.id;
  const all = [await create(), await create(), await create({ late: 'newest' })];
  clock.advance(4 * dayMs);
  const read = async (id: string) => (await api.get(`/api/schedules/${id}`)).json;
  const isDone = async () => (await Promise.all(all.map(read))).every(({ next }) => next === 5);
  for (let step = 0; step < 12; step++) {
    await stack.schedule.run();
    if (await waitUntil('the schedules', isDone, { deadlineMs: 8_000 }).catch(() => false)) break;
    clock.advance(5 * 60_000);
  }
  const { data: invoices } = (await api.get('/api/invoices?limit=100')).json;
  const startsOf = (id: string) =>
    invoices
      .filter(({ scheduleId }: { scheduleId: string }) => scheduleId === id)
      .map(({ period }: { period: { start: string } }) => period.start)
      .reverse();
  const days = [1, 2, 3, 4].map((number) => dayAfter(Date.parse(first), number - 1));
  const [one = '', two = '', newest = ''] = all;
  expect([startsOf(one), startsOf(two), startsOf(newest)]).toEqual([days, days, days.slice(-1)]);
  const { data } = (await api.get(`/api/schedules/${newest}/occurrences`)).json;
  expect(data).toMatchObject([
    { number: 4, status: 'made' },
    { number: 1, through: 3, status: 'skipped', reason: 'late' },
  ]);
  expect(await read(one)).toMatchObject({
    made: 4,
    nextAt: `${dayAfter(Date.parse(first), 4)}T00:00:00.000Z`,
  });
});
