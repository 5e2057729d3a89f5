/** Tests the closing of an account: what ends immediately, what continues, and concurrent or interrupted calls. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { modes } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { apiKeyStatus } from '../../shared/domain/accounts/account.ts';
import { closeAccount, readAccount } from '../../shared/domain/accounts/account-store.ts';
import { createKey, listKeys, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import { type FaultHandler, interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation, runAsInvocation } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { formOf, goodCard, openPage, payOnPage, submit } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let account: TestAccount;
let owner: { account: string; mode: 'test' };
let layer: FaultLayer;
let crash: { at: number; fault: ScriptedFault } | undefined;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  const script = ({ index }: { index: number }) => (crash?.at === index ? crash.fault : undefined);
  layer = await installFaults({ seed: 0, script });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const close = () => closeAccount(owner.account, now());
const codeOf = async (apiKey: string) => {
  const { status, json } = await apiOf(stack.baseUrl, apiKey).get('/api/invoices');
  return status === 200 ? 'allowed' : json.error.code;
};
const newInvoice = async () => (await account.test.post('/api/invoices', invoiceBody())).json;
const readAccountState = async (mode: 'test' | 'live') =>
  tableOf(stack).get(tableKeys.accountState({ ...owner, mode }));

/** Expects that no key works, that no key can be created, and that all listed keys are revoked. */
async function expectClosed(apiKeys: readonly string[]): Promise<void> {
  for (const apiKey of apiKeys) expect(await codeOf(apiKey)).toBe('revoked_api_key');
  expect((await readAccount(owner.account))?.closedAt).toEqual(expect.any(Number));
  for (const mode of modes) {
    const statuses = (await listKeys({ ...owner, mode })).map((key) => apiKeyStatus(key, now()));
    expect(new Set(statuses)).toEqual(new Set(['revoked']));
    expect((await readAccountState(mode))?.[accountStateAttributes.keys]).toEqual({});
    await expect(createKey({ owner: { ...owner, mode }, name: 'Late' })).rejects.toThrow('is closed');
  }
}

test('the next request with any key of both modes is rejected, and no key can be created', async () => {
  const { value } = await createKey({ owner, name: 'Second', expiresAt: now() + 3_600_000 });
  const all = [account.test.apiKey, account.live.apiKey, value];
  expect(await Promise.all(all.map(codeOf))).toEqual(['allowed', 'allowed', 'allowed']);
  const closed = await close();
  await expectClosed(all);
  const [first] = await listKeys(owner);
  expect(first?.lastUsedAt).toEqual(expect.any(Number));
  expect(await close()).toEqual(closed);
});

test('it returns undefined for an unknown account and does not create it', async () => {
  expect(await closeAccount('acct_0000000000000000', now())).toBeUndefined();
  expect(await readAccount('acct_0000000000000000')).toBeUndefined();
});

test('it can be repeated after a crash at any call, and no key is rejected before the account is marked as closed', async () => {
  let crashes = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      account = await newAccount(stack.baseUrl);
      owner = { account: account.accountId, mode: 'test' };
      crash = { at, fault };
      crashed = await runAsInvocation(`close ${at} ${fault}`, close).then(
        () => false,
        () => true,
      );
      crash = undefined;
      crashes += crashed ? 1 : 0;
      const codes = await Promise.all([account.test, account.live].map(({ apiKey }) => codeOf(apiKey)));
      const { closedAt, isClosing } = (await readAccount(owner.account)) ?? {};
      if (codes.includes('revoked_api_key')) expect(closedAt).toEqual(expect.any(Number));
      if (closedAt !== undefined && codes.some((code) => code !== 'revoked_api_key'))
        expect(isClosing).toBe(true);
      await close();
      if (closedAt !== undefined) expect((await readAccount(owner.account))?.closedAt).toBe(closedAt);
      await expectClosed([account.test.apiKey, account.live.apiKey]);
    }
  }
  expect(crashes).toBeGreaterThan(15);
});

/**
 * Runs `work` once for each of its DynamoDB calls, and runs `other` before or after this call. Each run has a new
 * account. Returns the number of runs.
 */
async function interleave(
  work: () => Promise<unknown>,
  other: () => Promise<unknown>,
  check: () => Promise<void>,
  prepare: () => Promise<void>,
) {
  let times = 0;
  for (let at = 0, reached = true; reached; at++) {
    for (const side of ['before', 'after']) {
      account = await newAccount(stack.baseUrl);
      owner = { account: account.accountId, mode: 'test' };
      await prepare();
      reached = false;
      let calls = 0;
      const fault: FaultHandler = async (_, send) => {
        // The background functions of the stack make calls too, and `work` would not wait for `other` there.
        if (currentInvocation()?.label !== 'work' || reached || calls++ !== at) return send();
        reached = true;
        if (side === 'before') await other();
        const answer = await send();
        if (side === 'after') await other();
        return answer;
      };
      const { remove } = interceptCalls(fault);
      await runAsInvocation('work', work).finally(remove);
      if (!reached) break;
      times += 1;
      await check();
    }
  }
  return times;
}

test('no usable key is left after any interleaving with the creation of a key', async () => {
  let created: string[] = [];
  const create = () =>
    createKey({ owner, name: 'Meanwhile' }).then(
      ({ value }) => created.push(value),
      () => {},
    );
  const check = () => expectClosed([account.test.apiKey, ...created]);
  const withKey = async () => {
    created = [];
  };
  const withoutKey = async () => {
    created = [];
    for (const { keyId } of await listKeys(owner)) await revokeKey(owner, keyId);
  };
  expect(await interleave(create, close, check, withKey)).toBeGreaterThan(7);
  expect(await interleave(create, close, check, withoutKey)).toBeGreaterThan(7);
  expect(await interleave(close, create, check, withKey)).toBeGreaterThan(15);
});

test('a key that was revoked earlier keeps the time of its revocation', async () => {
  const { keyId } = await createKey({ owner, name: 'Old' });
  const { revokedAt } = (await revokeKey(owner, keyId)) ?? {};
  await close();
  expect((await listKeys(owner)).find((key) => key.keyId === keyId)?.revokedAt).toBe(revokedAt);
});

test('a form that was opened earlier cannot pay and says so, and the page of a paid invoice still shows the receipt', async () => {
  const [unpaid, paid] = [await newInvoice(), await newInvoice()];
  const form = { ...formOf(await openPage(unpaid.paymentUrl)), ...goodCard };
  expect((await payOnPage(paid.paymentUrl)).status).toBe(303);
  await close();
  const refused = await submit(unpaid.paymentUrl, form);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('This invoice can no longer be paid here, and nothing was charged.');
  expect((await openPage(paid.paymentUrl)).text).toContain('This invoice is paid');
  expect((await submit(paid.paymentUrl, form)).status).toBe(303);
  const record = await tableOf(stack).get(tableKeys.record(unpaid.id));
  expect([record?.status, record?.paymentInProgress]).toEqual(['pending', undefined]);
});

test('a page that is opened later has no form and no payment instructions', async () => {
  const invoice = await newInvoice();
  await close();
  const { status, text } = await openPage(invoice.paymentUrl);
  expect(status).toBe(200);
  expect(text).toContain('This invoice can no longer be paid here');
  expect(text).not.toContain('<form');
});

test('a form that was sent before and is sent again gets the same response', async () => {
  const invoice = await newInvoice();
  const form = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
  const first = await submit(invoice.paymentUrl, form);
  await close();
  const again = await submit(invoice.paymentUrl, form);
  expect([again.status, again.headers.location]).toEqual([first.status, first.headers.location]);
  expect((await openPage(invoice.paymentUrl)).text).toContain('This invoice is paid');
});

test('payments and refunds in progress are completed, and webhook endpoints receive their events', async () => {
  const receiver = await startWebhookReceiver();
  cleanUp.push(() => receiver.close());
  const body = { url: receiver.urlOf('/'), events: ['payment.completed', 'refund.processed'] };
  await account.test.post('/api/webhooks', body);
  const [slow, fast] = [await newInvoice(), await newInvoice()];
  const done = (await account.test.post('/api/payments', cardPaymentBody(fast.id, cards.completes))).json;
  const pending = (await account.test.post('/api/payments', cardPaymentBody(slow.id, cards.settlesLater)))
    .json;
  expect(pending.status).toBe('pending');
  const refund = (await account.test.post('/api/refunds', { paymentId: done.id })).json;
  await close();
  const statusNow = async () => (await tableOf(stack).get(tableKeys.record(pending.id)))?.status;
  await waitUntil('the payment completes', async () => (await statusNow()) === 'completed');
  const receivedIds = () => receiver.received.map((message) => JSON.parse(message.body).data.id);
  await waitUntil(
    'the endpoint receives both events',
    () => receivedIds().includes(pending.id) && receivedIds().includes(refund.id),
  );
});
