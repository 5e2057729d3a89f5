/** How long events are kept: 30 days to the second, whether DynamoDB has deleted them by then or not. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { EventType } from '../../../shared/events/event.ts';
import type { Owner } from '../../../shared/ids.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { during, expectLog, isEventQuery, list, publishEvents, type Shown } from './event-log.ts';

const dayMs = 24 * 60 * 60 * 1000;
let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterAll(() => stack.close());

const some = (count: number) => Array<EventType>(count).fill('invoice.created');
const newestFirst = (events: readonly Shown[]) => [...events].reverse();

test('an event is there for 30 days to the second, and then is not, whether DynamoDB has deleted it or not', async () => {
  clock.to(Math.ceil(clock.now() / 1000) * 1000);
  const old = await publishEvents(owner, some(5));
  clock.advance(10 * dayMs);
  const young = await publishEvents(owner, some(4));
  clock.advance(20 * dayMs - 1);
  await expectLog(api, [...old, ...young]);
  const [place] = old.slice(2) as [Shown];
  expect((await api.get(`/api/events/${place.id}`)).status).toBe(200);
  expect((await list(api, { after: place.id })).json.data).toHaveLength(6);
  clock.advance(1);
  const expectGone = async () => {
    await expectLog(api, young);
    const newest = (await list(api, { limit: 4 })).json;
    expect(newest).toEqual({ data: newestFirst(young), cursor: { hasMore: false, next: young[0]?.id } });
    expectError(await api.get(`/api/events/${place.id}`), 404, 'event_not_found');
    for (const field of ['before', 'after']) {
      const response = await list(api, { [field]: place.id });
      expectError(response, 400, `invalid_${field}`, field);
      expect(response.json.error.message).toContain('30 days');
    }
  };
  await expectGone();
  // In no order of theirs.
  await table.delete(keys.event(owner, 1));
  await table.delete(keys.event(owner, 4));
  await expectGone();
  for (const position of [2, 3, 5]) await table.delete(keys.event(owner, position));
  await expectGone();
});

test('however many expired events are left, the start of the log is found in few calls', async () => {
  await publishEvents(owner, some(700));
  clock.advance(29 * dayMs);
  const young = await publishEvents(owner, some(3));
  clock.advance(2 * dayMs);
  for (const query of [{ limit: 1 }, { limit: 2 }, { type: 'invoice.created' }]) {
    const { answer, calls } = await during(
      (_, send) => send(),
      () => list(api, { ...query, after: 'start' }),
    );
    expect(answer.json.data[0]).toEqual(young[0]);
    expect(calls.filter(isEventQuery).length).toBeLessThan(16);
  }
  await expectLog(api, young);
  clock.advance(30 * dayMs);
  await expectLog(api, []);
  expect((await list(api, { after: 'start', limit: 1 })).json.cursor).toEqual({
    hasMore: false,
    next: 'start',
  });
});

test('one who has not come for 30 days begins anew, and one who kept coming never has to', async () => {
  const [first] = await publishEvents(owner, some(1));
  clock.advance(29 * dayMs);
  const [second] = await publishEvents(owner, some(1));
  const { json } = await list(api, { after: `${first?.id}` });
  expect(json.data).toEqual([second]);
  clock.advance(2 * dayMs);
  expectError(await list(api, { after: `${first?.id}` }), 400, 'invalid_after', 'after');
  expect((await list(api, { after: 'start' })).json.data).toEqual([second]);
  expect((await list(api, { after: json.cursor.next })).json).toEqual({
    data: [],
    cursor: { hasMore: false, next: second?.id },
  });
});
