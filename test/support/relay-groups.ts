/** Creates outbox items that no request has written, and checks what follows from them after they were relayed. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Owner, randomWebhookId } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { apiVersions } from '../../shared/domain/versions/versions.ts';
import { registryId } from '../../shared/domain/webhooks/record.ts';
import { toOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { sampleEvent } from './sample-events.ts';
import type { TestItem, TestTable } from './table.ts';

const monthMs = 30 * 24 * 60 * 60_000;

/** Returns the owner of a new account with endpoints that subscribe to `*`. */
export async function newOwner(table: TestTable, endpoints = 0): Promise<Owner> {
  const owner: Owner = { account: `acct_${randomUUID().replaceAll('-', '').slice(0, 16)}`, mode: 'test' };
  for (let number = 1; number <= endpoints; number++) {
    const key = tableKeys.webhook(owner, randomWebhookId(owner.account));
    const shown = { url: 'http://127.0.0.1:9/', events: ['*'], description: null, disabledReason: null };
    const stored = { secrets: [], apiVersion: apiVersions[0], createdAt: now(), updatedAt: now() };
    await table.put({ ...key, ...owner, version: 1, status: 'enabled', number, ...shown, ...stored });
  }
  const registry = { ...tableKeys.webhook(owner, registryId), ...owner, status: '' };
  if (endpoints > 0) await table.put({ ...registry, version: endpoints, count: endpoints });
  return owner;
}

/**
 * Stores `count` outbox items as the creation of invoices does, each with one event and one entry of the audit log. Returns
 * them in order.
 */
export async function putOutboxItems(
  table: TestTable,
  owner: Owner,
  count: number,
  dueMs = monthMs,
): Promise<TestItem[]> {
  const items = Array.from({ length: count }, (_, index) => {
    const change = `${String(index).padStart(4, '0')}-${randomUUID()}`;
    const timer = { due: now() + dueMs, kind: 'overdue', reference: `inv_${change}` } as const;
    const entry = { resource: 'invoice', seq: index + 1, filterKeys: ['#customer#1'], status: 'pending' };
    return toOutboxItem(owner, change, now(), {
      indexEntries: [entry as never],
      events: [sampleEvent('invoice.created', owner)],
      timers: [timer],
      audited: {
        actor: { type: 'key', id: 'key_0000000000000000' },
        action: 'invoice.create',
        requestId: null,
        source: null,
        resource: null,
        changes: [],
      },
    }) as TestItem;
  });
  await table.putAll(items);
  return items;
}

/** Returns what the table contains of an owner. */
export async function readFollowUps(table: TestTable, owner: Owner) {
  const scope = `${owner.account}#${owner.mode}`;
  // One scan of the whole table takes a fraction of the time of one scan for each kind of item.
  const all = await table.all('');
  const startingWith = (prefix: string) => all.filter(({ pk }) => pk.startsWith(prefix));
  const timers = startingWith('TIMER#');
  const isOwn = (item: TestItem) => item.account === owner.account;
  return {
    events: startingWith(`EVENTS#${scope}`),
    pointers: startingWith('EVENT#').filter(isOwn),
    cursor: all.find(({ pk }) => pk === tableKeys.eventCursor(owner).pk)?.position ?? 0,
    deliveries: startingWith('DELIVERIES#').filter(isOwn),
    timers: timers.filter(({ kind }) => kind === 'overdue'),
    deliveryTimers: timers.filter(({ reference }) => reference.startsWith(owner.account)),
    pages: startingWith(`INDEX#${scope}`),
    outbox: startingWith('OUTBOX#').filter(isOwn),
    auditEntries: startingWith(`AUDIT#${scope}`),
  };
}

/**
 * Expects that everything has followed from the items, once: one event and one entry of the audit log for each, consecutive
 * positions, a delivery for each endpoint, a timer and an index entry.
 */
export async function expectRelayed(
  table: TestTable,
  owner: Owner,
  items: readonly TestItem[],
  endpoints: number,
): Promise<void> {
  const found = await readFollowUps(table, owner);
  const ids = items.flatMap(({ events }) => events.map(({ id }: { id: string }) => id));
  expect(found.outbox).toEqual([]);
  expect(found.auditEntries).toHaveLength(items.length);
  expect(found.events.map(({ sk }) => Number(sk))).toEqual(ids.map((_, index) => index + 1));
  expect(found.events.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  expect(found.cursor).toBe(ids.length);
  const positions = new Map(found.events.map(({ id, sk }) => [id, Number(sk)]));
  const pointers = new Map(found.pointers.map(({ pk, position }) => [pk.slice('EVENT#'.length), position]));
  expect(pointers).toEqual(positions);
  const delivered = found.deliveries.map(({ pk, eventId, position }) => [pk, eventId, position].join());
  expect(new Set(delivered).size).toBe(ids.length * endpoints);
  expect(found.deliveries.map(({ eventId, position }) => positions.get(eventId) === position)).toEqual(
    Array(ids.length * endpoints).fill(true),
  );
  // A timer that is due now is stored under the minute in which its lease ends. Set again in the next minute, it has two items.
  expect(new Set(found.deliveryTimers.map(({ reference }) => reference)).size).toBe(ids.length * endpoints);
  expectTimersAndEntries(found, items);
}

type FollowUps = Awaited<ReturnType<typeof readFollowUps>>;

/** Expects that a timer and an index entry exist for each item. */
function expectTimersAndEntries({ timers, pages }: FollowUps, items: readonly TestItem[]): void {
  const references = timers.map(({ reference }) => reference);
  expect(references).toEqual(expect.arrayContaining(items.map((item) => item.timers[0].reference)));
  expect(pages.map(({ c }) => c.size)).toEqual(pages.map(() => items.length));
}

/** Expects that no item was deleted before all of its follow-ups were stored, and that no delivery waits without a timer. */
export async function expectDeletedLast(
  table: TestTable,
  owner: Owner,
  items: readonly TestItem[],
  endpoints: number,
): Promise<void> {
  const found = await readFollowUps(table, owner);
  const deleted = items.filter(({ sk }) => !found.outbox.some((item) => item.sk === sk));
  for (const { events, timers } of deleted) {
    expect(found.events.filter(({ id }) => id === events[0].id)).toHaveLength(1);
    expect(found.deliveries.filter(({ eventId }) => eventId === events[0].id)).toHaveLength(endpoints);
    expect(found.timers.filter(({ reference }) => reference === timers[0].reference)).toHaveLength(1);
  }
  expect(found.events.map(({ sk }) => Number(sk))).toEqual(found.events.map((_, index) => index + 1));
  expect(found.cursor).toBe(found.events.length);
  const references = new Set(found.deliveryTimers.map(({ reference }) => reference.split('/')[3]));
  expect(found.deliveries.filter(({ sk }) => !references.has(sk))).toEqual([]);
}
