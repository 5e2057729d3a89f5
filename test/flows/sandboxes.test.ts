/** Tests the life of a sandbox: what works, when it ends, and that its deletion leaves nothing and touches nothing else. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { CreatedSandbox } from '../../shared/domain/accounts/account.ts';
import {
  closeAccount,
  createSandbox,
  listAccounts,
  readAccount,
} from '../../shared/domain/accounts/account-store.ts';
import { createKey } from '../../shared/domain/accounts/key-store.ts';
import { changeSeller } from '../../shared/domain/accounts/seller-change-store.ts';
import { changeMembers, listAccountsOfUser } from '../../shared/domain/users/member-store.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { sendFolds } from '../../shared/operations/folding/fold-lists.ts';
import {
  deleteEndedSandboxes,
  sandboxDrainMs,
  sandboxSettleMs,
} from '../../shared/operations/sandboxes/delete-sandboxes.ts';
import { itemKindOf } from '../../shared/store/item-kinds.ts';
import { type Key, tableKeys } from '../../shared/store/keys.ts';
import { sweepTimers } from '../../shared/store/timers/sweep-timers.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { setClock, stopClock, type TestClock } from '../support/clock.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import { runAsInvocation } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';

const dayMs = 86_400_000;
/** What stays: it expires by itself, or it says that the id was used. */
const remaining = ['account', 'auditEntry', 'auditHead', 'idempotency', 'reconciliation'];

let stack: Stack;
let clock: TestClock;
let layer: FaultLayer;
let crash: { at: number; fault: ScriptedFault } | undefined;
let sandbox: CreatedSandbox;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.schedule.pause();
  const script = ({ index }: { index: number }) => (crash?.at === index ? crash.fault : undefined);
  layer = await installFaults({ seed: 0, script });
});
beforeEach(async () => {
  clock = stopClock();
  sandbox = await createSandbox({ name: 'Tests', plan: 'standard', days: 2 });
  api = apiOf(stack.baseUrl, sandbox.keys.test);
});
afterEach(() => setClock());
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const run = () => deleteEndedSandboxes(clock.now());
const itemsOf = async (names: readonly string[]) =>
  (await tableOf(stack).all('')).filter((item) => names.some((name) => JSON.stringify(item).includes(name)));
const kindsOf = (items: readonly TestItem[]) =>
  new Set(items.map((item) => itemKindOf(item as unknown as Key)));
const untilRelayed = () =>
  waitUntil('all changes are relayed', async () => {
    const items = await itemsOf([sandbox.accountId]);
    return items.every((item) => itemKindOf(item as unknown as Key) !== 'outbox');
  });

/** Closes the sandbox and runs the deletion to its end. */
async function deleteSandbox(): Promise<void> {
  for (const wait of [3 * dayMs, sandboxDrainMs, sandboxSettleMs]) {
    clock.advance(wait);
    await run();
  }
}

async function fillSandbox(): Promise<string[]> {
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  const { json: payment } = await api.post('/api/payments', cardPaymentBody(invoice.id, cards.completes));
  expect(payment.status).toBe('completed');
  return [sandbox.accountId, invoice.id, payment.id];
}

/** Expects that nothing is left that names the sandbox or one of its records, and that its id stays used. */
async function expectDeleted(names: readonly string[]): Promise<void> {
  await untilRelayed();
  // Timers of deleted records fire once and are gone, also those of due dates that are far away.
  const timersOf = async () =>
    (await itemsOf(names)).filter((item) => itemKindOf(item as unknown as Key) === 'timer');
  await waitUntil('all other timers have fired', async () => {
    await sweepTimers(clock.now());
    return (await timersOf()).every(({ kind }) => kind === 'overdue');
  });
  const messages = (await timersOf()).map(toMessageBody);
  expect(await handleMessages('overdue', messages)).toEqual({ crashed: false, failed: [] });
  // So do requests to fold their lists.
  await sendFolds();
  await waitUntil(
    'no request to fold is left',
    async () => !kindsOf(await itemsOf(names)).has('foldRequest'),
  );
  const left = (await itemsOf(names)).filter(
    (item) => !remaining.includes(String(itemKindOf(item as unknown as Key))),
  );
  expect(left).toEqual([]);
  expect(await readAccount(sandbox.accountId)).toBeUndefined();
  expect(await tableOf(stack).get(tableKeys.account(sandbox.accountId))).toMatchObject({
    deletedAt: expect.any(Number),
    sandboxUntil: sandbox.sandboxUntil,
  });
}

test('a sandbox has test mode only, and its key stops at the end', async () => {
  expect(await readAccount(sandbox.accountId)).toMatchObject({ sandboxUntil: clock.now() + 2 * dayMs });
  const live = { account: sandbox.accountId, mode: 'live' } as const;
  await expect(createKey({ owner: live, name: 'Live' })).rejects.toThrow('is closed');
  await fillSandbox();
  clock.advance(2 * dayMs - 60_000);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
  clock.advance(60_001);
  expect((await api.get('/api/invoices')).json.error.code).toBe('expired_api_key');
});

test('the deletion leaves nothing of any kind, and touches no other account', async () => {
  await changeSeller(sandbox.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const other = await newAccount(stack.baseUrl);
  const { json: kept } = await other.test.post('/api/invoices', invoiceBody());
  const receiver = await startWebhookReceiver();
  const newest = { 'X-API-Version': newestApiVersion };
  const endpoint = { url: receiver.urlOf('/'), events: ['*'] };
  const [{ json: first }, { json: second }] = [
    await api.post('/api/webhooks', endpoint),
    await api.post('/api/webhooks', endpoint),
  ];
  const { json: customer } = await api.post('/api/customers', { name: 'Dorji', email: 'dorji@example.bt' });
  const body = { ...invoiceBody(), customerId: customer.id, reference: 'A-1' };
  const { json: due } = await api.post('/api/invoices', body, { headers: newest });
  expect(due.reference).toBe('A-1');
  const [, invoiceId = '', paymentId = ''] = await fillSandbox();
  const { json: refund } = await api.post('/api/refunds', { paymentId });
  const person = { issuer: 'https://issuer.example', subject: '1', email: 'pema@example.bt' };
  await changeMembers(sandbox.accountId, (members) => ({
    ...members,
    members: [{ ...person, user: 'usr_1', role: 'owner', since: clock.now() }],
  }));
  await waitUntil('the refund is processed and announced', () =>
    receiver.received.some(({ body: text }) => JSON.parse(text).type === 'refund.processed'),
  );
  await untilRelayed();
  await api.delete(`/api/webhooks/${second.id}`);
  await untilRelayed();
  await receiver.close();
  const list = { account: sandbox.accountId, mode: 'test', resource: 'invoice', filterKey: '' } as const;
  await tableOf(stack).put({ ...tableKeys.foldRequest(list, 'invoice', ''), ...list, volumes: new Set([0]) });
  const names = [
    sandbox.accountId,
    invoiceId,
    paymentId,
    due.id,
    refund.id,
    customer.id,
    first.id,
    second.id,
  ];
  const kinds = kindsOf(await itemsOf(names));
  for (const kind of [
    'event',
    'foldRequest',
    'eventPointer',
    'delivery',
    'webhook',
    'indexPage',
    'document',
    'invoiceNumber',
    'invoiceReference',
    'seller',
    'series',
    'timer',
  ])
    expect(kinds).toContain(kind);
  const before = await itemsOf([other.accountId, kept.id]);

  await deleteSandbox();
  await expectDeleted(names);
  expect(await listAccountsOfUser('usr_1')).toEqual([]);
  expect((await listAccounts()).map(({ accountId }) => accountId)).not.toContain(sandbox.accountId);
  expect(await itemsOf([other.accountId, kept.id])).toEqual(before);
  expect((await api.get('/api/invoices')).status).toBe(401);
  const page = await fetch(`${stack.baseUrl}/pay/${invoiceId}`);
  expect(page.status).toBe(404);
});

test('the deletion can be interrupted at any call, and two runs can work side by side', async () => {
  await fillSandbox();
  await untilRelayed();
  const names = await fillSandbox();
  await untilRelayed();
  for (const wait of [3 * dayMs, sandboxDrainMs, sandboxSettleMs]) {
    clock.advance(wait);
    let crashes = 0;
    for (let at = 0, crashed = true; crashed; at++) {
      crashed = false;
      for (const fault of ['crash before call', 'crash after call'] as const) {
        crash = { at, fault };
        await runAsInvocation(`delete ${wait} ${at} ${fault}`, run).catch(() => {
          crashed = true;
          crashes += 1;
        });
        crash = undefined;
      }
    }
    expect(crashes).toBeGreaterThan(3);
    await Promise.all([run(), run()]);
  }
  await expectDeleted(names);
});

test('an account that is no sandbox is never deleted, also if the list of sandboxes names it', async () => {
  const other = await newAccount(stack.baseUrl);
  const { json: kept } = await other.test.post('/api/invoices', invoiceBody());
  const until = clock.now() - 1;
  const entry = { ...tableKeys.sandbox(until, other.accountId), accountId: other.accountId, until };
  await tableOf(stack).put(entry);
  await closeAccount(other.accountId, clock.now());
  clock.advance(sandboxDrainMs);
  await expect(run()).rejects.toThrow('is not a sandbox');
  await tableOf(stack).put({ ...entry, emptiedAt: until });
  clock.advance(sandboxSettleMs);
  await expect(run()).rejects.toThrow('is not a sandbox');
  expect(await tableOf(stack).get(tableKeys.record(kept.id))).toBeDefined();
  await tableOf(stack).delete(entry);
});

test('one that cannot be deleted delays no other', async () => {
  const until = clock.now() - 1;
  const entry = { ...tableKeys.sandbox(until, 'acct_unknown'), accountId: 'acct_unknown', until };
  const { accountId } = await newAccount(stack.baseUrl);
  const other = { ...tableKeys.sandbox(until, accountId), accountId, until };
  await Promise.all([entry, other].map((item) => tableOf(stack).put(item)));
  clock.advance(3 * dayMs);
  await expect(run()).rejects.toThrow('is not a sandbox');
  expect((await readAccount(sandbox.accountId))?.closedAt).toEqual(expect.any(Number));
  await Promise.all([entry, other].map((item) => tableOf(stack).delete(item)));
});

test('a sandbox with data in live mode is closed and not deleted', async () => {
  const live = tableKeys.accountState({ account: sandbox.accountId, mode: 'live' });
  await tableOf(stack).put({ ...(await tableOf(stack).get(live)), si: 1 });
  clock.advance(3 * dayMs);
  await run();
  clock.advance(sandboxDrainMs);
  await expect(run()).rejects.toThrow('has data in live mode');
  expect((await readAccount(sandbox.accountId))?.closedAt).toEqual(expect.any(Number));
  await tableOf(stack).delete(tableKeys.sandbox(sandbox.sandboxUntil, sandbox.accountId));
});
