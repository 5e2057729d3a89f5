/**
 * Writes the head and an entry of an audit log with each attribute missing and of another type. What follows from changes happens
 * nevertheless, and no entry is lost: it waits until the head is repaired.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import type { auditRules } from '../../shared/domain/audit/rules.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { run, runHere } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let owner: Owner;
let api: Api;
let other: { owner: Owner; api: Api };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await Promise.all([stack.schedule.pause(), stack.stream.pause()]);
  table = tableOf(stack);
});
beforeEach(async () => {
  const [own, neighbor] = [await newAccount(stack.baseUrl), await newAccount(stack.baseUrl)];
  owner = { account: own.accountId, mode: 'test' };
  api = own.test;
  other = { owner: { account: neighbor.accountId, mode: 'test' }, api: neighbor.test };
});
afterAll(() => stack.close());

const outboxOf = ({ account, mode }: Owner) => table.outboxOf(`${account}#${mode}`);
const entriesOf = ({ account, mode }: Owner) => table.all(`AUDIT#${account}#${mode}#`);
const createInvoice = async (api: Api): Promise<string> => {
  const { status, json } = await api.post('/api/invoices', invoiceBody());
  expect(status).toBe(201);
  return json.id;
};

/** Relays all that waits in the outbox of some accounts, at once. */
async function relay(...owners: readonly Owner[]): Promise<void> {
  const { relayAll } = await import('../../shared/operations/outbox/relay.ts');
  const items = (await Promise.all(owners.map(outboxOf))).flat();
  await Promise.all(relayAll(items.map(fromOutboxItem), Date.now()));
}

async function verify(): Promise<readonly string[]> {
  const { verifyAuditLog } = await import('../../shared/domain/audit/verify.ts');
  const { faults } = await verifyAuditLog(owner, Date.now());
  return faults.map(({ rule }) => rule);
}

const malformationsOf = (item: TestItem, names: readonly string[]) =>
  names.flatMap((name) => {
    const { [name]: _, ...rest } = item;
    return [rest, { ...item, [name]: String(item[name]) }, { ...item, [name]: { other: 'form' } }];
  });

test('a malformed head of the log delays nothing but its own entries, which are added after its repair', async () => {
  await createInvoice(api);
  await relay(owner);
  const head = (await table.get(tableKeys.auditHead(owner))) ?? {};
  const created: string[] = [];
  for (const malformed of malformationsOf(head, ['last', 'lastExpiry'])) {
    await table.put(malformed);
    created.push(await createInvoice(api), await createInvoice(api));
    const neighbor = await createInvoice(other.api);
    await relay(owner, other.owner);
    expect([await outboxOf(owner), await outboxOf(other.owner)]).toEqual([[], []]);
    const events = (await api.get('/api/events?limit=2')).json.data;
    expect(events.map(({ data }: TestItem) => data.id).toSorted()).toEqual(created.slice(-2).toSorted());
    expect((await api.get('/api/invoices')).json.pagination.total).toBe(created.length + 1);
    expect((await entriesOf(other.owner)).map(({ resource }) => resource)).toContain(neighbor);
    expect(await entriesOf(owner)).toHaveLength(1);
    expect(await verify()).toContain('audit_head_altered' satisfies keyof typeof auditRules);
    expect(await table.get(tableKeys.auditHead(owner))).toEqual(malformed);
  }
  const aside = (await table.all('SETASIDE')).filter(({ content }) => content.account === owner.account);
  expect(aside).toHaveLength(created.length);
  expect(aside[0]?.problem).toContain(head.pk);
  await table.put(head);
  for (const { sk } of aside) expect((await runHere('poison', ['retry', '--id', sk])).code).toBe(0);
  await relay(owner);
  const entries = await entriesOf(owner);
  expect(entries.map(({ resource }) => resource)).toEqual(expect.arrayContaining(created));
  expect(entries).toHaveLength(created.length + 1);
  expect(entries.every(({ requestId }) => typeof requestId === 'string')).toBe(true);
  expect(await verify()).toEqual([]);
});

test('an entry that waits is not given back while the rest of its change is not relayed', async () => {
  await createInvoice(api);
  const [item = {}] = await outboxOf(owner);
  const { auditPartOf } = await import('../../shared/domain/audit/outbox-entry.ts');
  const { setPartAside } = await import('../../shared/store/set-aside.ts');
  const { MalformedItemError } = await import('../../shared/store/stored-fields.ts');
  const part = auditPartOf(fromOutboxItem(item));
  if (!part) throw new Error('The change has no entry.');
  await setPartAside('audit', part, new MalformedItemError('head', 'it is malformed'));
  const [aside] = (await table.all('SETASIDE')).filter(({ content }) => content.account === owner.account);
  expect(await run('poison', ['retry', '--id', aside?.sk])).toMatchObject({
    code: 1,
    error: expect.stringContaining('is not relayed yet'),
  });
  expect(await outboxOf(owner)).toEqual([item]);
  expect(await table.get({ pk: aside?.pk, sk: aside?.sk })).toEqual(aside);
});

test('a malformed entry is left out of the list and named, and the pages go on', async () => {
  for (let count = 0; count < 4; count++) await createInvoice(api);
  await relay(owner);
  const entries = (await entriesOf(owner)).toReversed();
  const bad = entries[1] ?? {};
  const idsOf = (list: readonly TestItem[]) => list.map(({ sk }) => sk).filter((id) => id !== bad.sk);
  const list = async (query: string) => {
    const { status, json, headers } = await api.get(`/api/audit-log?${query}`);
    return {
      status,
      ids: json.data?.map(({ id }: TestItem) => id),
      ...json,
      warning: headers['remit-warning'],
    };
  };
  const names = ['actor', 'action', 'outcome', 'resource', 'requestId', 'source', 'changes'];
  for (const malformed of malformationsOf(bad, names)) {
    await table.put(malformed);
    const all = await list('limit=100');
    // The text of a text is the same entry.
    if (all.warning === undefined) continue;
    expect(all).toMatchObject({ status: 200, ids: idsOf(entries), warning: `malformed_records ${bad.sk}` });
    const first = await list('limit=2');
    expect(first).toMatchObject({ status: 200, ids: idsOf(entries).slice(0, 2), cursor: { hasMore: true } });
    expect((await list(`limit=2&before=${first.cursor.next}`)).ids).toEqual(idsOf(entries).slice(2, 4));
    expect(await verify()).toContain('audit_entry_altered');
  }
  await table.put({ ...bad, later: 'release' });
  expect(await list('limit=100')).toMatchObject({ ids: entries.map(({ sk }) => sk), warning: undefined });
  expect(await verify()).toEqual([]);
});
