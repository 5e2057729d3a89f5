/**
 * Tests that the audit log has neither a gap nor a twin, whatever runs at the same time or crashes, and that the verification
 * finds each entry that somebody with access to the table has altered, deleted or made.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { newAuditEntry } from '../../shared/domain/audit/entry.ts';
import type { AuditFault } from '../../shared/domain/audit/verify.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { appendAuditEntries } from '../support/append-entries.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { injectFault, interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const dayMs = 24 * 60 * 60 * 1000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await Promise.all([stack.schedule.pause(), stack.stream.pause()]);
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterAll(() => stack.close());

const outbox = () => table.outboxOf(`${owner.account}#${owner.mode}`);
const scope = () => `${owner.account}#${owner.mode}`;
const stored = async () =>
  (await table.all(`AUDIT#${scope()}#`)).toSorted((one, other) => one.number - other.number);
const keyOf = ({ pk, sk }: TestItem = {}) => ({ pk: String(pk), sk: String(sk) });
const head = () => table.get(tableKeys.auditHead(owner));

async function relayItems(items: readonly TestItem[]): Promise<void> {
  const { relayAll } = await import('../../shared/operations/outbox/relay.ts');
  await Promise.all(relayAll(items.map(fromOutboxItem), clock.now()));
}

async function verify(): Promise<readonly AuditFault[]> {
  const { verifyAuditLog } = await import('../../shared/domain/audit/verify.ts');
  return (await verifyAuditLog(owner, clock.now())).faults;
}

async function verifyRecent(): Promise<readonly AuditFault[]> {
  const { verifyRecentEntries } = await import('../../shared/domain/audit/verify.ts');
  return (await verifyRecentEntries(owner, clock.now())).faults;
}

/** Stores entries and returns them in the order of their numbers. */
async function storeEntries(count: number): Promise<TestItem[]> {
  for (let index = 0; index < count; index++) await api.post('/api/invoices', invoiceBody());
  await relayItems(await outbox());
  const entries = await stored();
  expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  return entries;
}

test('relays of the same and of different changes at once give each entry its own number, without gaps', async () => {
  for (let index = 0; index < 12; index++) await api.post('/api/invoices', invoiceBody());
  const items = await outbox();
  const parts = [items.slice(0, 6), items.slice(3, 9), items.slice(6), items, items.slice(5, 7)];
  await Promise.all(parts.map(relayItems));
  await relayItems(items);
  expect((await stored()).map(({ number }) => number)).toEqual(items.map((_, index) => index + 1));
  expect(await head()).toMatchObject({ last: items.length });
  expect(await verify()).toEqual([]);
});

test('a relay that crashes at any call and is repeated leaves neither a gap nor a twin', async () => {
  for (let call = 1, entries = 0; ; call++) {
    for (let index = 0; index < 2; index++) await api.post('/api/invoices', invoiceBody());
    const items = await outbox();
    entries += items.length;
    let calls = 0;
    const interception = interceptCalls(
      injectFault(() => ++calls >= call, respondWithError('ValidationException')),
    );
    const crashed = await relayItems(items).then(
      () => false,
      () => true,
    );
    interception.remove();
    await relayItems(items);
    expect((await stored()).map(({ number }) => number)).toEqual(
      Array.from({ length: entries }, (_, index) => index + 1),
    );
    if (!crashed) break;
    expect(call).toBeLessThan(30);
  }
  expect(await verify()).toEqual([]);
});

test('the answer to a call that adds entries is lost: they are added once', async () => {
  await api.post('/api/invoices', invoiceBody());
  const items = await outbox();
  const { auditEntryOf } = await import('../../shared/domain/audit/outbox-entry.ts');
  const entries = items.flatMap((item) => auditEntryOf(fromOutboxItem(item)) ?? []);
  await appendAuditEntries(owner, entries);
  await appendAuditEntries(owner, [...entries, ...entries]);
  expect(await stored()).toHaveLength(1);
  expect(await head()).toMatchObject({ last: 1 });
});

test.each([
  ['actor', { actor: { type: 'key', id: 'key_0' } }],
  ['action', { action: 'key.revoke' }],
  ['outcome', { outcome: 'failed' }],
  ['resource', { resource: 'inv_0' }],
  ['requestId', { requestId: null }],
  ['source', { source: null }],
  ['changes', { changes: [{ field: 'amount', before: null, after: '1' }] }],
  ['changes of another type', { changes: [null] }],
  ['seal', { seal: 'a1:AAAA' }],
  ['seal of an unknown version', { seal: 'a9:AAAA' }],
  ['seal that is missing', { seal: undefined }],
  ['previousExpiry', { previousExpiry: 1 }],
])('an entry whose %s is changed is named', async (_, change) => {
  const [, second] = await storeEntries(3);
  await table.put({ ...second, ...change } as TestItem);
  const expected = [{ rule: 'audit_entry_altered', number: 2, id: second?.sk }];
  expect(await verify()).toEqual(expected);
  expect(await verifyRecent()).toEqual(expected);
});

test('deleted entries are named: the first, one between others, and the last', async () => {
  const entries = await storeEntries(5);
  for (const number of [1, 3, 5]) await table.delete(keyOf(entries[number - 1]));
  const missing = [1, 3, 5].map((number) => ({ rule: 'audit_entry_missing', number, id: null }));
  expect(await verify()).toEqual(missing);
  expect(await verifyRecent()).toEqual(missing);
});

test('all entries are deleted: the head says that they existed', async () => {
  for (const entry of await storeEntries(2)) await table.delete(keyOf(entry));
  expect((await verifyRecent()).map(({ number }) => number)).toEqual([1, 2]);
});

test('an entry that somebody made, copied or moved is named, and so is a changed head', async () => {
  const [first] = await storeEntries(2);
  const made = newAuditEntry('made', clock.now(), {
    ...(first as never as object),
    action: 'key.create',
  } as never);
  await table.put({ ...first, sk: made.id } as TestItem);
  expect(await verify()).toEqual([{ rule: 'audit_entry_altered', number: 1, id: made.id }]);
  await table.delete({ pk: keyOf(first).pk, sk: made.id });

  const other = { account: owner.account, mode: 'live' } as const;
  await table.put({ ...first, ...tableKeys.auditEntry(other, clock.now(), String(first?.sk)) } as TestItem);
  const { verifyAuditLog } = await import('../../shared/domain/audit/verify.ts');
  expect((await verifyAuditLog(other, clock.now())).faults).toMatchObject([{ rule: 'audit_entry_altered' }]);

  await table.put({ ...(await head()), last: 1 } as TestItem);
  expect((await verify()).map(({ rule }) => rule)).toContain('audit_head_altered');
  await table.put({ ...(await head()), last: 'two' } as TestItem);
  expect((await verify()).map(({ rule }) => rule)).toContain('audit_head_altered');
});

test('entries that have expired are no gap, in any order of their deletion', async () => {
  const old = await storeEntries(3);
  clock.advance(100 * dayMs);
  await api.post('/api/invoices', invoiceBody());
  await relayItems(await outbox());
  clock.advance(301 * dayMs);
  expect(await verify()).toEqual([]);
  await table.delete(keyOf(old[1]));
  expect(await verify()).toEqual([]);
  for (const entry of old) await table.delete(keyOf(entry));
  expect(await verify()).toEqual([]);
  expect(await stored()).toHaveLength(1);
});

test('an older seal verifies after a rotation of the secret', async () => {
  await storeEntries(1);
  const { addVersion } = await import('../../shared/operations/rotation/rotate-secrets.ts');
  await addVersion('audit');
  await api.post('/api/invoices', invoiceBody());
  await relayItems(await outbox());
  expect((await stored()).map(({ seal }) => seal.split(':')[0])).toEqual(['a1', 'a2']);
  expect(await verify()).toEqual([]);
});

test('the daily reconciliation reports what is altered in the logs of accounts and of the deployment', async () => {
  const entries = await storeEntries(2);
  await table.put({ ...entries[0], action: 'key.revoke' } as TestItem);
  const actor = { type: 'operator', id: 'local:somebody' } as const;
  const origin = { actor, action: 'maintenance.start', requestId: null, source: null } as const;
  const entry = newAuditEntry('one', clock.now(), {
    ...origin,
    outcome: 'done',
    resource: null,
    changes: [],
  });
  await appendAuditEntries('deployment', [entry]);
  await table.delete(tableKeys.auditEntry('deployment', clock.now(), entry.id));
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const { reconcileBatch } = await import('../../shared/operations/reconciliation/reconcile.ts');
  await reconcileBatch({ ...owner, day }, clock.now());
  await reconcileBatch({ account: 'deployment', mode: 'live', day }, clock.now());
  const found = (await table.all(`RECONCILIATION#${day}`)).filter(({ resource }) => resource === 'audit_log');
  expect(found.map(({ account, rule, seq }) => [account, rule, seq]).sort()).toEqual(
    [
      [owner.account, 'audit_entry_altered', 1],
      ['deployment', 'audit_entry_missing', 1],
    ].sort(),
  );
});
