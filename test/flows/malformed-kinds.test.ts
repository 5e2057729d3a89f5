/**
 * Writes an item of every kind with each attribute missing, of other types and unknown, directly into the table. A malformed item harms
 * only itself: other records of its account are served and changed, and another account notices nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { itemKindOf } from '../../shared/store/item-kinds.ts';
import { type Key, tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import type { HttpResponse } from '../support/http.ts';
import { type ItemKindCase, type ItemWorld, itemKindCases } from '../support/item-kind-cases.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let world: ItemWorld;
let neighbor: ItemWorld;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.schedule.pause(), stack.stream.pause(), stack.queues.pause()]);
  world = await newWorld();
  neighbor = await newWorld();
});
// An account may send 5,000 requests in an hour.
beforeEach(async () => {
  if (isExhaustive) [world, neighbor] = [await newWorld(), await newWorld()];
});
afterAll(() => stack.close());

async function newWorld(): Promise<ItemWorld> {
  const { accountId } = await newAccount(stack.baseUrl);
  const owner: Owner = { account: accountId, mode: 'test' };
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { permissions } = await import('../../shared/domain/auth/permissions.ts');
  const api = apiOf(stack.baseUrl, (await createKey({ owner, name: 'Manager', permissions })).value);
  const found = { table, owner, api, baseUrl: stack.baseUrl, relay: () => relay(owner) };
  // Of two endpoints, each delivery is stored.
  for (const path of ['one', 'two'])
    await requireCreated(api, '/api/webhooks', { url: `https://example.com/${path}`, events: ['*'] });
  for (let count = 0; count < 2; count++) await requireCreated(api, '/api/invoices', invoiceBody());
  await relay(owner);
  return found;
}

async function requireCreated(api: Api, path: string, body: object): Promise<string> {
  const { status, json } = await api.post(path, body);
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json.id;
}

/** Relays what waits in the outbox of an account. */
async function relay({ account, mode }: Owner): Promise<void> {
  const { relayStored } = await import('../../shared/operations/outbox/relay.ts');
  const items = await table.outboxOf(`${account}#${mode}`);
  await Promise.all(relayStored(items, Date.now()));
}

const keyParts = new Set(['pk', 'sk']);

/** Returns an item with each of its attributes missing and of two other types, and with none. */
function malformationsOf(item: TestItem): (readonly [label: string, item: TestItem])[] {
  const { pk, sk } = item;
  const names = Object.keys(item).filter((name) => !keyParts.has(name));
  return [
    ...names.flatMap((name) => {
      const { [name]: original, ...rest } = item;
      const other = typeof original === 'number' ? 'lots' : 7;
      return [
        [`${name} is missing`, rest] as const,
        [`${name} is an object`, { ...item, [name]: { garbage: [1] } }] as const,
        [`${name} has another type`, { ...item, [name]: other }] as const,
      ];
    }),
    ['all are missing', { pk, sk }],
  ];
}

let sampled = 0;

/** A run without every combination has one malformation of each kind, at another position each time. */
function sampleOf<T>(all: readonly T[]): readonly T[] {
  if (isExhaustive || all.length === 0) return all;
  const position = sampled++ % all.length;
  return all.slice(position, position + 1);
}

/** Does all that the service does with the item. Each use ends well, or refuses with the error that names the item. */
async function useItem(label: string, { uses }: ItemKindCase, item: TestItem): Promise<string[]> {
  const outcomes: string[] = [];
  for (const [index, use] of uses.entries()) {
    try {
      const answer = (await use(world, item)) as Partial<HttpResponse> | undefined;
      const isRefused = (answer?.status ?? 0) >= 500;
      if (isRefused)
        expect({ label, ...answer?.json }).toMatchObject({ label, error: { code: 'record_unreadable' } });
      outcomes.push(isRefused ? 'refused' : 'done');
    } catch (error) {
      if ((error as Error).name !== 'MalformedItemError')
        throw new Error(`${label}, use ${index}: ${error}`, { cause: error });
      outcomes.push('refused');
    }
  }
  return outcomes;
}

const lists = ['invoices', 'payments', 'refunds', 'customers', 'webhooks', 'events', 'audit-log', 'keys'];

/** After each malformation, the next lists are read. The uses of an item read the lists that contain it. */
const listsAtOnce = 2;
let writtenCount = 0;
const listsToRead = () =>
  Array.from({ length: listsAtOnce }, (_, each) => lists[(writtenCount * listsAtOnce + each) % lists.length]);

/** Reads lists of an account, and makes a change whose event follows. */
async function expectServed(label: string, { api, owner }: ItemWorld): Promise<void> {
  for (const name of listsToRead()) {
    const { status, json } = await api.get(`/api/${name}`);
    expect({ label, name, status, json: status === 200 ? undefined : json }).toMatchObject({
      label,
      name,
      status: 200,
    });
  }
  const id = await requireCreated(api, '/api/invoices', invoiceBody({ description: label }));
  expect({ label, status: (await api.get(`/api/invoices/${id}`)).status }).toEqual({ label, status: 200 });
  await relay(owner);
  const [newest] = (await api.get('/api/events?limit=1&type=invoice.created')).json.data;
  expect({ label, newest: newest.data.id }).toEqual({ label, newest: id });
}

/** How many malformed items of the account the reconciliation finds. */
async function countReported(): Promise<number> {
  const { findItemDifferences } = await import('../../shared/operations/reconciliation/item-differences.ts');
  const found = await findItemDifferences(world.owner, Date.now(), true);
  expect(found.every(({ rule }) => rule === 'item_malformed')).toBe(true);
  return found.length;
}

test('each kind of key has an example, and each example is of its kind', async () => {
  const builders = Object.keys(tableKeys).filter((name) => name !== 'record');
  expect(Object.keys(itemKindCases)).toEqual(expect.arrayContaining(builders));
});

describe.each(Object.entries(itemKindCases))('a malformed item of the kind %s', (kind, itemCase) => {
  test('harms only itself', async () => {
    const item = await itemCase.item(world);
    if (!item) throw new Error(`The service has stored no item of the kind ${kind}.`);
    expect(itemKindOf({ pk: item.pk, sk: item.sk })).toBe(kind);
    const write = (changed: TestItem) => table.put(changed);
    try {
      const malformations = sampleOf(malformationsOf(item));
      for (const [index, [label, changed]] of malformations.entries()) {
        writtenCount += 1;
        await write(changed);
        await useItem(label, itemCase, item);
        await write(changed);
        const served: Promise<void>[] = [];
        if (!itemCase.isOfWholeAccount) served.push(expectServed(label, world));
        if (isExhaustive || index === malformations.length - 1) served.push(expectServed(label, neighbor));
        await Promise.all(served);
      }
    } finally {
      await write(item);
    }
    const before = await useItem('as it was', itemCase, item);
    expect(before).toEqual(before.map(() => 'done'));
    await write({ ...item, unknown: { from: ['a later version'] } });
    expect(await useItem('unknown', itemCase, item)).toEqual(before);
    for (const name of sampleOf(itemCase.reported ?? [])) {
      await write(Object.fromEntries(Object.entries(item).filter(([each]) => each !== name)));
      expect([name, await countReported()]).toEqual([name, 1]);
    }
    await write(item);
    if (itemCase.reported) expect(await countReported()).toBe(0);
    if (!itemCase.isOfWholeAccount) await expectServed('unknown', world);
    await (itemCase.isInvented ? table.delete(item as Key) : write(item));
    // An instance remembers for seconds that it refused a key, for example because of a malformed limit.
    if (itemCase.isOfWholeAccount) world = await newWorld();
  });
});
