/**
 * Tests following the log: a client that continues from `next` sees every event exactly once and in order, even while
 * events are stored and although DynamoDB's queries are not snapshots.
 */
import { expect, test } from '@jest/globals';
import type { EventType } from '../../../shared/domain/events/event.ts';
import { type Key, tableKeys } from '../../../shared/store/keys.ts';
import { cancelTransaction, type FaultHandler, injectFault } from '../../support/intercept-calls.ts';
import { sendLimitedQuery } from '../../support/query-page-limit.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { readWireBody, type WireResponse, withBody } from '../../support/wire-call.ts';
import {
  callWithFault,
  expectLog,
  getEventPage,
  isEventQuery,
  type ShownEvent,
  storeSampleEvents,
  useEventLogStack,
} from './event-log.ts';

const log = useEventLogStack();

const some = (count: number) => Array<EventType>(count).fill('invoice.created');
const newestFirst = (events: readonly ShownEvent[]) => [...events].reverse();
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);
const isGapRead = ({ operation }: { operation: string }) => operation === 'TransactGetItems';

/** Handles queries so that positions for which `isHidden` returns true are not visible yet. */
const hiding =
  (isHidden: (position: number) => boolean): FaultHandler =>
  async (call, send) => {
    const response = await send();
    if (!isEventQuery(call)) return response;
    const page = JSON.parse(await readWireBody(response as unknown as WireResponse));
    const Items = page.Items.filter(({ sk }: { sk: { S: string } }) => !isHidden(Number(sk.S)));
    const text = JSON.stringify({ ...page, Items, Count: Items.length });
    return withBody(response as unknown as WireResponse, text) as unknown as typeof response;
  };

test('a client sees each of 200 events once and in order while several writers store them and queries miss some', async () => {
  const random = seededRandom(1, 'hidden');
  const seen: ShownEvent[] = [];
  const { calls } = await callWithFault(
    hiding(() => random.chance(0.2)),
    async () => {
      let after = 'start';
      const following = waitUntil(
        'the client has all events',
        async () => {
          const { json } = await getEventPage(log.api, { after, limit: random.integer(1, 5) });
          seen.push(...json.data);
          after = json.cursor.next;
          return seen.length >= 200;
        },
        { everyMs: 0 },
      );
      const storing = [1, 2, 3, 4].map(async () => {
        for (let count = 0; count < 25; count++) await storeSampleEvents(log.owner, some(2));
      });
      await Promise.all([following, ...storing]);
    },
  );
  const stored = await log.table.all(tableKeys.event(log.owner, 0).pk);
  expect(stored.map(({ sk }) => Number(sk))).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  expect(idsOf(seen)).toEqual(stored.map(({ id }) => id));
  expect(calls.filter(isGapRead).length).toBeGreaterThan(0);
});

test.each([[[1]], [[4]], [[1, 2, 3]], [[2, 3, 5]], [[9]]])(
  'events that a query returns too late, at positions %j, are on their page or a later one',
  async (late) => {
    const events = await storeSampleEvents(log.owner, some(10));
    const hidden = new Set(late);
    await callWithFault(
      hiding((position) => hidden.has(position)),
      () => expectLog(log.api, events),
    );
  },
);

test('events that are not visible at the end of the log follow on the next page', async () => {
  const events = await storeSampleEvents(log.owner, some(5));
  const { result } = await callWithFault(
    hiding((position) => position > 3),
    () => getEventPage(log.api, { after: 'start' }),
  );
  expect(result.json).toEqual({
    data: events.slice(0, 3),
    cursor: { hasMore: false, next: events[2]?.id },
  });
  expect((await getEventPage(log.api, { after: result.json.cursor.next })).json.data).toEqual(
    events.slice(3),
  );
});

test('a gap is read again until no other transaction conflicts', async () => {
  const events = await storeSampleEvents(log.owner, some(4));
  const conflict = injectFault(isGapRead, cancelTransaction('TransactionConflict', 'None'), 2);
  const { result } = await callWithFault(
    (call, send) => conflict(call, () => hiding((position) => position === 2)(call, send)),
    () => getEventPage(log.api, { after: 'start' }),
  );
  expect(conflict.left()).toBe(0);
  expect(result.json.data).toEqual(events);
});

test.each([[[1]], [[3, 4]], [[1, 2, 3, 5, 7, 9]], [[10]]])(
  'deleted events, at positions %j, are skipped',
  async (deleted) => {
    const events = await storeSampleEvents(log.owner, some(10));
    for (const position of deleted) await log.table.delete(tableKeys.event(log.owner, position));
    await expectLog(
      log.api,
      events.filter((_, index) => !deleted.includes(index + 1)),
    );
    for (const [index, { id }] of events.entries()) {
      const status = deleted.includes(index + 1) ? 404 : 200;
      expect((await log.api.get(`/api/events/${id}`)).status).toBe(status);
    }
  },
);

test('a gap that is wider than a transaction is skipped, except for the events in it', async () => {
  const events = await storeSampleEvents(log.owner, some(260));
  await Promise.all(
    Array.from({ length: 258 }, (_, index) => index + 2)
      .filter((position) => position !== 200)
      .map((position) => log.table.delete(tableKeys.event(log.owner, position))),
  );
  const left = [0, 199, 259].map((index) => events[index] as ShownEvent);
  await expectLog(log.api, left);
  const { result } = await callWithFault(
    hiding((position) => position === 200),
    () => getEventPage(log.api, { after: 'start' }),
  );
  expect(result.json.data).toEqual(left);
});

test('a gap that is older than an hour costs no call', async () => {
  const events = await storeSampleEvents(log.owner, some(5));
  await log.table.delete(tableKeys.event(log.owner, 1) as Key);
  await log.table.delete(tableKeys.event(log.owner, 3) as Key);
  log.clock.advance(2 * 60 * 60 * 1000);
  for (const query of [{}, { after: 'start' }]) {
    const { result, calls } = await callWithFault(
      (_, send) => send(),
      () => getEventPage(log.api, query),
    );
    expect(result.json.data).toHaveLength(3);
    expect(calls.filter(isGapRead)).toEqual([]);
    expect(calls.filter(isEventQuery)).toHaveLength(1);
  }
  await expectLog(
    log.api,
    [1, 3, 4].map((index) => events[index] as ShownEvent),
  );
});

test('pages are complete although DynamoDB cuts off queries', async () => {
  const events = await storeSampleEvents(log.owner, some(30));
  const cut: FaultHandler = async ({ operation, body }, send) => {
    if (operation !== 'Query') return send();
    const sendUnchanged = async () => (await send()) as unknown as WireResponse;
    const response = await sendLimitedQuery({ operation, input: JSON.parse(body) }, sendUnchanged, 1_000);
    return response as unknown as Awaited<ReturnType<typeof send>>;
  };
  const { calls } = await callWithFault(cut, async () => {
    expect((await getEventPage(log.api, { limit: 25 })).json).toEqual({
      data: newestFirst(events).slice(0, 25),
      cursor: { hasMore: true, next: events[5]?.id },
    });
    await expectLog(log.api, events, [7, 30, 100]);
  });
  expect(calls.filter(isEventQuery).length).toBeGreaterThan(50);
});

test('the id of an event that was just listed is accepted, even if a plain read does not see its pointer yet', async () => {
  const [first = '', second = ''] = idsOf(await storeSampleEvents(log.owner, some(2)));
  const hidePointer: FaultHandler = async (call, send) => {
    const response = await send();
    if (call.operation !== 'GetItem' || !call.body.includes(`EVENT#${first}`)) return response;
    return withBody(response as unknown as WireResponse, '{}') as unknown as typeof response;
  };
  const { result } = await callWithFault(hidePointer, async () => ({
    after: await getEventPage(log.api, { after: first }),
    event: await log.api.get(`/api/events/${first}`),
  }));
  expect(idsOf(result.after.json.data)).toEqual([second]);
  expect(result.event.json.id).toBe(first);
});
