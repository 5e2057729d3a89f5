/** Closing an account: what ends at once, what goes on, and that nothing can come in between. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { statusOf } from '../../shared/accounts/account.ts';
import { createKey, listKeys, revokeKey } from '../../shared/accounts/key-store.ts';
import { closeAccount, readAccount } from '../../shared/accounts/store.ts';
import { modes } from '../../shared/ids.ts';
import { headAttributes } from '../../shared/store/heads.ts';
import { keys } from '../../shared/store/keys.ts';
import { now } from '../../shared/time.ts';
import { apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { type Fate, type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { type Fault, intercept } from '../support/faults.ts';
import { runAs } from '../support/invocations.ts';
import { cardBody, cards } from '../support/pay.ts';
import { formOf, goodCard, openPage, pay, submit } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let account: TestAccount;
let owner: { account: string; mode: 'test' };
let layer: FaultLayer;
let death: { at: number; fate: Fate } | undefined;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  const script = ({ index }: { index: number }) => (death?.at === index ? death.fate : undefined);
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
  return status === 200 ? 'admitted' : json.error.code;
};
const newInvoice = async () => (await account.test.post('/api/invoices', invoiceBody())).json;
const headOf = async (mode: 'test' | 'live') => tableOf(stack).get(keys.head({ ...owner, mode }));

/** No key can be used or made, and people see none that could. */
async function expectClosed(apiKeys: readonly string[]): Promise<void> {
  for (const apiKey of apiKeys) expect(await codeOf(apiKey)).toBe('revoked_api_key');
  expect((await readAccount(owner.account))?.closedAt).toEqual(expect.any(Number));
  for (const mode of modes) {
    const statuses = (await listKeys({ ...owner, mode })).map((key) => statusOf(key, now()));
    expect(new Set(statuses)).toEqual(new Set(['revoked']));
    expect((await headOf(mode))?.[headAttributes.keys]).toEqual({});
    await expect(createKey({ owner: { ...owner, mode }, name: 'Late' })).rejects.toThrow('is closed');
  }
}

test('the very next request is refused, by every key of both modes, and none can be created', async () => {
  const { value } = await createKey({ owner, name: 'Second', expiresAt: now() + 3_600_000 });
  const all = [account.test.apiKey, account.live.apiKey, value];
  expect(await Promise.all(all.map(codeOf))).toEqual(['admitted', 'admitted', 'admitted']);
  const closed = await close();
  await expectClosed(all);
  const [first] = await listKeys(owner);
  expect(first?.lastUsedAt).toEqual(expect.any(Number));
  expect(await close()).toEqual(closed);
});

test('it tells if there is no such account, and makes none', async () => {
  expect(await closeAccount('acct_0000000000000000', now())).toBeUndefined();
  expect(await readAccount('acct_0000000000000000')).toBeUndefined();
});

test('interrupted anywhere it can be repeated, and no key is refused before the account is marked', async () => {
  let deaths = 0;
  for (let at = 0, died = true; died; at++) {
    for (const fate of ['dies before', 'dies after'] as const) {
      account = await newAccount(stack.baseUrl);
      owner = { account: account.accountId, mode: 'test' };
      death = { at, fate };
      died = await runAs(`close ${at} ${fate}`, close).then(
        () => false,
        () => true,
      );
      death = undefined;
      deaths += died ? 1 : 0;
      const codes = await Promise.all([account.test, account.live].map(({ apiKey }) => codeOf(apiKey)));
      const { closedAt: marked, isClosing } = (await readAccount(owner.account)) ?? {};
      if (codes.includes('revoked_api_key')) expect(marked).toEqual(expect.any(Number));
      if (marked !== undefined && codes.some((code) => code !== 'revoked_api_key'))
        expect(isClosing).toBe(true);
      await close();
      if (marked !== undefined) expect((await readAccount(owner.account))?.closedAt).toBe(marked);
      await expectClosed([account.test.apiKey, account.live.apiKey]);
    }
  }
  expect(deaths).toBeGreaterThan(15);
});

/** Runs `other` before or after each call of `work` in turn, each time with a fresh account; returns how often. */
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
      const fault: Fault = async (_, send) => {
        const isPlace = !reached && calls++ === at;
        if (!isPlace) return send();
        reached = true;
        if (side === 'before') await other();
        const answer = await send();
        if (side === 'after') await other();
        return answer;
      };
      const { remove } = intercept(fault);
      await work().finally(remove);
      if (!reached) break;
      times += 1;
      await check();
    }
  }
  return times;
}

test('however it meets with the creation of a key, no key is left that can be used', async () => {
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

test('a key that was revoked before stays revoked since then', async () => {
  const { keyId } = await createKey({ owner, name: 'Old' });
  const { revokedAt } = (await revokeKey(owner, keyId)) ?? {};
  await close();
  expect((await listKeys(owner)).find((key) => key.keyId === keyId)?.revokedAt).toBe(revokedAt);
});

test('a form that was open pays nothing and says so; the page of a paid invoice still is its receipt', async () => {
  const [open, paid] = [await newInvoice(), await newInvoice()];
  const form = { ...formOf(await openPage(open.paymentUrl)), ...goodCard };
  expect((await pay(paid.paymentUrl)).status).toBe(303);
  await close();
  const refused = await submit(open.paymentUrl, form);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('This invoice can no longer be paid here, and nothing was charged.');
  expect((await openPage(paid.paymentUrl)).text).toContain('Paid to');
  expect((await submit(paid.paymentUrl, form)).status).toBe(303);
  const record = await tableOf(stack).get(keys.record(open.id));
  expect([record?.status, record?.paymentInProgress]).toEqual(['pending', undefined]);
});

test('a page that is opened afterwards has no form, nor payment instructions', async () => {
  const invoice = await newInvoice();
  await close();
  const { status, text } = await openPage(invoice.paymentUrl);
  expect(status).toBe(200);
  expect(text).toContain('This invoice can no longer be paid here');
  expect(text).not.toContain('<form');
});

test('an attempt to pay that was made before is answered as before', async () => {
  const invoice = await newInvoice();
  const form = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
  const first = await submit(invoice.paymentUrl, form);
  await close();
  const again = await submit(invoice.paymentUrl, form);
  expect([again.status, again.headers.location]).toEqual([first.status, first.headers.location]);
  expect((await openPage(invoice.paymentUrl)).text).toContain('Paid to');
});

test('payments and refunds that are under way get their outcome, and webhooks are told', async () => {
  const receiver = await startWebhookReceiver();
  cleanUp.push(() => receiver.close());
  const body = { url: receiver.urlOf('/'), events: ['payment.completed', 'refund.processed'] };
  await account.test.post('/api/webhooks', body);
  const [slow, fast] = [await newInvoice(), await newInvoice()];
  const done = (await account.test.post('/api/payments', cardBody(fast.id, cards.completes))).json;
  const pending = (await account.test.post('/api/payments', cardBody(slow.id, cards.settlesLater))).json;
  expect(pending.status).toBe('pending');
  const refund = (await account.test.post('/api/refunds', { paymentId: done.id })).json;
  await close();
  const statusNow = async () => (await tableOf(stack).get(keys.record(pending.id)))?.status;
  await waitUntil('the payment completes', async () => (await statusNow()) === 'completed');
  const told = () => receiver.received.map((message) => JSON.parse(message.body).data.id);
  await waitUntil('webhooks are told', () => told().includes(pending.id) && told().includes(refund.id));
});
