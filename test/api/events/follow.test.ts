/**
 * Following the log: whoever goes on from `next` sees every event exactly once and in its order, whatever is published
 * meanwhile, and however DynamoDB's queries look.
 */
import { expect, test } from '@jest/globals';
import type { EventType } from '../../../shared/events/event.ts';
import { type Key, keys } from '../../../shared/store/keys.ts';
import { cancelled, type Fault, faultOn } from '../../support/faults.ts';
import { sendCutQuery } from '../../support/query-cut.ts';
import { diceOf } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { readAnswer, type WireAnswer, withBody } from '../../support/wire-call.ts';
import {
  during,
  expectLog,
  isEventQuery,
  list,
  publishEvents,
  type Shown,
  useLogStand,
} from './event-log.ts';

const stand = useLogStand();

const some = (count: number) => Array<EventType>(count).fill('invoice.created');
const newestFirst = (events: readonly Shown[]) => [...events].reverse();
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);
const isGapRead = ({ operation }: { operation: string }) => operation === 'TransactGetItems';

/** Queries in which positions that `isHidden` are not visible yet. */
const hiding =
  (isHidden: (position: number) => boolean): Fault =>
  async (call, send) => {
    const answer = await send();
    if (!isEventQuery(call)) return answer;
    const page = JSON.parse(await readAnswer(answer as unknown as WireAnswer));
    const Items = page.Items.filter(({ sk }: { sk: { S: string } }) => !isHidden(Number(sk.S)));
    const text = JSON.stringify({ ...page, Items, Count: Items.length });
    return withBody(answer as unknown as WireAnswer, text) as unknown as typeof answer;
  };

test('a client that follows sees each of 200 events once and in order, which several instances publish meanwhile, though queries miss some', async () => {
  const writers = await Promise.all(
    ['one', 'two', 'three', 'four'].map((name) => import(`../../../shared/events/store.ts?instance=${name}`)),
  );
  const dice = diceOf(1, 'hidden');
  const seen: Shown[] = [];
  const { calls } = await during(
    hiding(() => dice.chance(0.2)),
    async () => {
      let after = 'start';
      const following = waitUntil(
        'all are seen',
        async () => {
          const { json } = await list(stand.api, { after, limit: dice.integer(1, 5) });
          seen.push(...json.data);
          after = json.cursor.next;
          return seen.length >= 200;
        },
        { everyMs: 0 },
      );
      const publishing = writers.map(async (store) => {
        for (let count = 0; count < 25; count++) await publishEvents(stand.owner, some(2), store);
      });
      await Promise.all([following, ...publishing]);
    },
  );
  const stored = await stand.table.all(keys.event(stand.owner, 0).pk);
  expect(stored.map(({ sk }) => Number(sk))).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  expect(idsOf(seen)).toEqual(stored.map(({ id }) => id));
  expect(calls.filter(isGapRead).length).toBeGreaterThan(0);
});

test.each([[[1]], [[4]], [[1, 2, 3]], [[2, 3, 5]], [[9]]])(
  'what a query shows too late, positions %j, is on its page all the same, or on a later one',
  async (late) => {
    const events = await publishEvents(stand.owner, some(10));
    const hidden = new Set(late);
    await during(
      hiding((position) => hidden.has(position)),
      () => expectLog(stand.api, events),
    );
  },
);

test('what is not visible at the end of the log comes after what is', async () => {
  const events = await publishEvents(stand.owner, some(5));
  const { answer } = await during(
    hiding((position) => position > 3),
    () => list(stand.api, { after: 'start' }),
  );
  expect(answer.json).toEqual({
    data: events.slice(0, 3),
    cursor: { hasMore: false, next: events[2]?.id },
  });
  expect((await list(stand.api, { after: answer.json.cursor.next })).json.data).toEqual(events.slice(3));
});

test('a gap is read again until no transaction stands in the way', async () => {
  const events = await publishEvents(stand.owner, some(4));
  const conflict = faultOn(isGapRead, cancelled('TransactionConflict', 'None'), 2);
  const { answer } = await during(
    (call, send) => conflict(call, () => hiding((position) => position === 2)(call, send)),
    () => list(stand.api, { after: 'start' }),
  );
  expect(conflict.left()).toBe(0);
  expect(answer.json.data).toEqual(events);
});

test.each([[[1]], [[3, 4]], [[1, 2, 3, 5, 7, 9]], [[10]]])(
  'events that are gone, positions %j, are stepped over',
  async (gone) => {
    const events = await publishEvents(stand.owner, some(10));
    for (const position of gone) await stand.table.delete(keys.event(stand.owner, position));
    await expectLog(
      stand.api,
      events.filter((_, index) => !gone.includes(index + 1)),
    );
    for (const [index, { id }] of events.entries()) {
      const status = gone.includes(index + 1) ? 404 : 200;
      expect((await stand.api.get(`/api/events/${id}`)).status).toBe(status);
    }
  },
);

test('a gap wider than a transaction is stepped over, but for what is in it', async () => {
  const events = await publishEvents(stand.owner, some(260));
  await Promise.all(
    Array.from({ length: 258 }, (_, index) => index + 2)
      .filter((position) => position !== 200)
      .map((position) => stand.table.delete(keys.event(stand.owner, position))),
  );
  const left = [0, 199, 259].map((index) => events[index] as Shown);
  await expectLog(stand.api, left);
  const { answer } = await during(
    hiding((position) => position === 200),
    () => list(stand.api, { after: 'start' }),
  );
  expect(answer.json.data).toEqual(left);
});

test('a gap that is older than an hour costs no call', async () => {
  const events = await publishEvents(stand.owner, some(5));
  await stand.table.delete(keys.event(stand.owner, 1) as Key);
  await stand.table.delete(keys.event(stand.owner, 3) as Key);
  stand.clock.advance(2 * 60 * 60 * 1000);
  for (const query of [{}, { after: 'start' }]) {
    const { answer, calls } = await during(
      (_, send) => send(),
      () => list(stand.api, query),
    );
    expect(answer.json.data).toHaveLength(3);
    expect(calls.filter(isGapRead)).toEqual([]);
    expect(calls.filter(isEventQuery)).toHaveLength(1);
  }
  await expectLog(
    stand.api,
    [1, 3, 4].map((index) => events[index] as Shown),
  );
});

test('queries that DynamoDB cuts make no page shorter', async () => {
  const events = await publishEvents(stand.owner, some(30));
  const cut: Fault = async ({ operation, body }, send) => {
    if (operation !== 'Query') return send();
    const sendAsItIs = async () => (await send()) as unknown as WireAnswer;
    const answer = await sendCutQuery({ operation, input: JSON.parse(body) }, sendAsItIs, 1_000);
    return answer as unknown as Awaited<ReturnType<typeof send>>;
  };
  const { calls } = await during(cut, async () => {
    expect((await list(stand.api, { limit: 25 })).json).toEqual({
      data: newestFirst(events).slice(0, 25),
      cursor: { hasMore: true, next: events[5]?.id },
    });
    await expectLog(stand.api, events, [7, 30, 100]);
  });
  expect(calls.filter(isEventQuery).length).toBeGreaterThan(50);
});
