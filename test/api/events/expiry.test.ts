/** How long events are kept: 30 days to the second, whether DynamoDB has deleted them by then or not. */
import { expect, test } from '@jest/globals';
import type { EventType } from '../../../shared/events/event.ts';
import { keys } from '../../../shared/store/keys.ts';
import { expectError } from '../../support/expectations.ts';
import {
  during,
  expectLog,
  isEventQuery,
  list,
  publishEvents,
  type Shown,
  useLogStand,
} from './event-log.ts';

const dayMs = 24 * 60 * 60 * 1000;
const stand = useLogStand();

const some = (count: number) => Array<EventType>(count).fill('invoice.created');
const newestFirst = (events: readonly Shown[]) => [...events].reverse();

test('an event is there for 30 days to the second, and then is not, whether DynamoDB has deleted it or not', async () => {
  stand.clock.to(Math.ceil(stand.clock.now() / 1000) * 1000);
  const old = await publishEvents(stand.owner, some(5));
  stand.clock.advance(10 * dayMs);
  const young = await publishEvents(stand.owner, some(4));
  stand.clock.advance(20 * dayMs - 1);
  await expectLog(stand.api, [...old, ...young]);
  const [place] = old.slice(2) as [Shown];
  expect((await stand.api.get(`/api/events/${place.id}`)).status).toBe(200);
  expect((await list(stand.api, { after: place.id })).json.data).toHaveLength(6);
  stand.clock.advance(1);
  const expectGone = async () => {
    await expectLog(stand.api, young);
    const newest = (await list(stand.api, { limit: 4 })).json;
    expect(newest).toEqual({ data: newestFirst(young), cursor: { hasMore: false, next: young[0]?.id } });
    expectError(await stand.api.get(`/api/events/${place.id}`), 404, 'event_not_found');
    for (const field of ['before', 'after']) {
      const response = await list(stand.api, { [field]: place.id });
      expectError(response, 400, `invalid_${field}`, field);
      expect(response.json.error.message).toContain('30 days');
    }
  };
  await expectGone();
  // In no order of theirs.
  await stand.table.delete(keys.event(stand.owner, 1));
  await stand.table.delete(keys.event(stand.owner, 4));
  await expectGone();
  for (const position of [2, 3, 5]) await stand.table.delete(keys.event(stand.owner, position));
  await expectGone();
});

test('however many expired events are left, the start of the log is found in few calls', async () => {
  await publishEvents(stand.owner, some(700));
  stand.clock.advance(29 * dayMs);
  const young = await publishEvents(stand.owner, some(3));
  stand.clock.advance(2 * dayMs);
  for (const query of [{ limit: 1 }, { limit: 2 }, { type: 'invoice.created' }]) {
    const { answer, calls } = await during(
      (_, send) => send(),
      () => list(stand.api, { ...query, after: 'start' }),
    );
    expect(answer.json.data[0]).toEqual(young[0]);
    expect(calls.filter(isEventQuery).length).toBeLessThan(16);
  }
  await expectLog(stand.api, young);
  stand.clock.advance(30 * dayMs);
  await expectLog(stand.api, []);
  expect((await list(stand.api, { after: 'start', limit: 1 })).json.cursor).toEqual({
    hasMore: false,
    next: 'start',
  });
});

test('one who has not come for 30 days begins anew, and one who kept coming never has to', async () => {
  const [first] = await publishEvents(stand.owner, some(1));
  stand.clock.advance(29 * dayMs);
  const [second] = await publishEvents(stand.owner, some(1));
  const { json } = await list(stand.api, { after: `${first?.id}` });
  expect(json.data).toEqual([second]);
  stand.clock.advance(2 * dayMs);
  expectError(await list(stand.api, { after: `${first?.id}` }), 400, 'invalid_after', 'after');
  expect((await list(stand.api, { after: 'start' })).json.data).toEqual([second]);
  expect((await list(stand.api, { after: json.cursor.next })).json).toEqual({
    data: [],
    cursor: { hasMore: false, next: second?.id },
  });
});
