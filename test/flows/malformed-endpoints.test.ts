/** Tests that malformed endpoints, deliveries and events harm only themselves. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { TestItem } from '../support/table.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

const withoutAttribute = (item: TestItem, name: string) =>
  Object.fromEntries(Object.entries(item).filter(([each]) => each !== name));

/** Creates an invoice, and relays and delivers its event. Returns the endpoints that received it. */
async function announce(owner: WebhookOwner): Promise<number[]> {
  const counts = () => owner.endpoints.map(({ path }) => testStack.receiver.receivedAt(path).length);
  const before = counts();
  await owner.createInvoices(1);
  await testStack.relay(owner);
  await handleMessages('webhook', (await owner.timers()).map(toMessageBody));
  return counts().map((count, index) => count - (before[index] ?? 0));
}

test.each([
  ['that the relay remembers', 0],
  ['that the relay reads', 1],
])(
  'a malformed endpoint %s gets nothing until it is repaired, and the others get theirs',
  async (_, raise) => {
    const owner = await testStack.newOwner(3);
    expect(await announce(owner)).toEqual([1, 1, 1]);
    const [, bad] = owner.endpoints;
    const items = await testStack.table.all('WEBHOOKS#');
    const item = items.find(({ sk }) => sk === bad?.id) ?? {};
    const registry = items.find(({ pk, sk }) => pk === item.pk && sk === 'REGISTRY') ?? {};
    let { version } = registry;
    const edit = async (edited: TestItem) => {
      version += raise;
      await testStack.table.putAll([edited, { ...registry, version }]);
    };
    for (const name of ['events', 'url', 'secrets', 'status', 'createdAt', 'number', 'version']) {
      for (const malformed of [withoutAttribute(item, name), { ...item, [name]: { other: 'form' } }]) {
        await edit(malformed);
        expect({ name, received: await announce(owner) }).toEqual({ name, received: [1, 0, 1] });
      }
      await edit(item);
      // An endpoint that the relay remembers also gets what waited for its repair.
      const own = raise === 0 ? 3 : 1;
      expect({ name, received: await announce(owner) }).toEqual({ name, received: [1, own, 1] });
    }
  },
);

test('the list of deliveries passes malformed ones, and so do their attempts', async () => {
  const owner = await testStack.newOwner(2);
  testStack.receiver.respondWith(() => ({ status: 500 }));
  for (let count = 0; count < 3; count++) await announce(owner);
  const path = `/api/webhooks/${owner.endpoints[0]?.id}/deliveries`;
  const list = async (query: string) => (await owner.api.get(`${path}?${query}`)) as TestItem;
  const all = (await list('limit=100')).json.data;
  expect(all).toHaveLength(3);
  const items = await owner.deliveries();
  const newest = items.find(({ sk }) => sk === all[0].id) ?? {};
  await testStack.table.put({ ...newest, attempts: 'many' });
  const page = await list('limit=1');
  // The first item is passed, and the cursor leads on.
  const [next] =
    page.json.data.length > 0 ? page.json.data : (await list(`limit=1&before=${newest.sk}`)).json.data;
  expect(next.id).toBe(all[1].id);
  const rest = await list('limit=100');
  expect(rest.json.data.map(({ id }: { id: string }) => id)).toEqual([all[1].id, all[2].id]);
  expect(rest.headers['remit-warning']).toBe(`malformed_records ${newest.sk}`);
  expect((await owner.api.post(`${path}/${newest.sk}/redeliver`, {})).status).toBe(500);
  testStack.receiver.respondWith();
  const timers = await owner.timers();
  const own = timers.flatMap(({ reference }, index) => (reference.includes(newest.sk) ? index : []));
  expect(own).toHaveLength(1);
  // The others are early, so each is only set again.
  const { failed } = await handleMessages('webhook', timers.map(toMessageBody));
  expect({ failed, count: timers.length }).toEqual({ failed: own, count: 6 });
  expect((await list('limit=100')).json.data).toHaveLength(2);
});

test('the event list passes malformed events, in both directions', async () => {
  const owner = await testStack.newOwner(1);
  for (let count = 0; count < 4; count++) await announce(owner);
  const idsOf = async (query: string): Promise<[ids: string[], warning: string | undefined]> => {
    const { status, json, headers } = (await owner.api.get(`/api/events?${query}`)) as TestItem;
    expect({ query, status }).toEqual({ query, status: 200 });
    return [json.data.map(({ id }: { id: string }) => id), headers['remit-warning']];
  };
  const [all] = await idsOf('limit=100');
  const events = (await testStack.table.all('EVENTS#')).filter(({ id }) => all.includes(id));
  const bad = events[1] ?? {};
  for (const name of ['type', 'body', 'expiresAt']) {
    for (const item of [withoutAttribute(bad, name), { ...bad, [name]: { other: 'form' } }]) {
      await testStack.table.put(item);
      const rest = all.filter((id) => id !== bad.id);
      expect(await idsOf('limit=100')).toEqual([rest, `malformed_records ${bad.id}`]);
      expect(await idsOf('limit=100&after=start')).toEqual([
        rest.toReversed(),
        `malformed_records ${bad.id}`,
      ]);
      expect((await owner.api.get(`/api/events/${bad.id}`)).status).toBe(500);
    }
  }
  await testStack.table.put({ ...bad, body: 'not an event' });
  expect((await idsOf('limit=100'))[0]).toHaveLength(all.length - 1);
  expect(await announce(owner)).toEqual([1]);
  await testStack.table.put({ ...bad, unknown: 1 });
  expect((await idsOf('limit=100'))[0]).toEqual(expect.arrayContaining(all));
});
