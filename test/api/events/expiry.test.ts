/** Tests the expiry of events: after exactly 30 days, whether DynamoDB has deleted them or not. */
import { expect, test } from '@jest/globals';
import type { EventType } from '../../../shared/domain/events/event.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { expectError } from '../../support/expectations.ts';
import {
  callWithFault,
  expectLog,
  getEventPage,
  isEventQuery,
  type ShownEvent,
  storeSampleEvents,
  useEventLogStack,
} from './event-log.ts';

const dayMs = 24 * 60 * 60 * 1000;
const log = useEventLogStack();

const some = (count: number) => Array<EventType>(count).fill('invoice.created');
const newestFirst = (events: readonly ShownEvent[]) => [...events].reverse();

test('an event exists for exactly 30 days, whether DynamoDB deletes it then or later', async () => {
  log.clock.to(Math.ceil(log.clock.now() / 1000) * 1000);
  const old = await storeSampleEvents(log.owner, some(5));
  log.clock.advance(10 * dayMs);
  const recent = await storeSampleEvents(log.owner, some(4));
  log.clock.advance(20 * dayMs - 1);
  await expectLog(log.api, [...old, ...recent]);
  const [expiring] = old.slice(2) as [ShownEvent];
  expect((await log.api.get(`/api/events/${expiring.id}`)).status).toBe(200);
  expect((await getEventPage(log.api, { after: expiring.id })).json.data).toHaveLength(6);
  log.clock.advance(1);
  const expectExpired = async () => {
    await expectLog(log.api, recent);
    const newest = (await getEventPage(log.api, { limit: 4 })).json;
    expect(newest).toEqual({ data: newestFirst(recent), cursor: { hasMore: false, next: recent[0]?.id } });
    expectError(await log.api.get(`/api/events/${expiring.id}`), 404, 'event_not_found');
    for (const field of ['before', 'after']) {
      const response = await getEventPage(log.api, { [field]: expiring.id });
      expectError(response, 400, `invalid_${field}`, field);
      expect(response.json.error.message).toContain('30 days');
    }
  };
  await expectExpired();
  // DynamoDB deletes expired items in any order.
  await log.table.delete(tableKeys.event(log.owner, 1));
  await log.table.delete(tableKeys.event(log.owner, 4));
  await expectExpired();
  for (const position of [2, 3, 5]) await log.table.delete(tableKeys.event(log.owner, position));
  await expectExpired();
});

test('the start of the log is found in few calls, also if many expired events are left', async () => {
  await storeSampleEvents(log.owner, some(700));
  log.clock.advance(29 * dayMs);
  const recent = await storeSampleEvents(log.owner, some(3));
  log.clock.advance(2 * dayMs);
  for (const query of [{ limit: 1 }, { limit: 2 }, { type: 'invoice.created' }]) {
    const { result, calls } = await callWithFault(
      (_, send) => send(),
      () => getEventPage(log.api, { ...query, after: 'start' }),
    );
    expect(result.json.data[0]).toEqual(recent[0]);
    expect(calls.filter(isEventQuery).length).toBeLessThan(16);
  }
  await expectLog(log.api, recent);
  log.clock.advance(30 * dayMs);
  await expectLog(log.api, []);
  expect((await getEventPage(log.api, { after: 'start', limit: 1 })).json.cursor).toEqual({
    hasMore: false,
    next: 'start',
  });
});

test('a client must start again after 30 days without a request, and a client that continues in time need not', async () => {
  const [first] = await storeSampleEvents(log.owner, some(1));
  log.clock.advance(29 * dayMs);
  const [second] = await storeSampleEvents(log.owner, some(1));
  const { json } = await getEventPage(log.api, { after: `${first?.id}` });
  expect(json.data).toEqual([second]);
  log.clock.advance(2 * dayMs);
  expectError(await getEventPage(log.api, { after: `${first?.id}` }), 400, 'invalid_after', 'after');
  expect((await getEventPage(log.api, { after: 'start' })).json.data).toEqual([second]);
  expect((await getEventPage(log.api, { after: json.cursor.next })).json).toEqual({
    data: [],
    cursor: { hasMore: false, next: second?.id },
  });
});
