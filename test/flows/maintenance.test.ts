/** Tests the maintenance: which requests are refused, that payers see it, and that interrupted calls continue. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { now } from '../../shared/base/time.ts';
import { createAccount } from '../../shared/domain/accounts/account-store.ts';
import {
  drainMs,
  endMaintenance,
  readMaintenance,
  startMaintenance,
} from '../../shared/domain/accounts/maintenance-store.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { changes, exampleOf, newAccountWithAllPermissions, rowsOf, serves } from '../contract/examples.ts';
import { apiOf, invoiceBody, type TestAccount } from '../support/api.ts';
import { setClock, stopClock, type TestClock } from '../support/clock.ts';
import { run, runJson } from '../support/command-line.ts';
import { expectError } from '../support/expectations.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import { runAsInvocation } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { formOf, goodCard, openPage, submit } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

let stack: Stack;
let account: TestAccount;
let clock: TestClock;
let layer: FaultLayer;
let crash: { at: number; fault: ScriptedFault } | undefined;

beforeAll(async () => {
  stack = await startTestStack();
  const script = ({ index }: { index: number }) => (crash?.at === index ? crash.fault : undefined);
  layer = await installFaults({ seed: 0, script });
});
beforeEach(async () => {
  account = await newAccountWithAllPermissions(stack.baseUrl);
  clock = stopClock();
});
afterEach(async () => {
  await endMaintenance();
  setClock();
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const start = () => startMaintenance(now);
const create = (options = {}) => account.test.post('/api/invoices', invoiceBody(), options);
const newInvoice = async () => (await create()).json;

// This is the first test, because every account adds calls at which it crashes.
test('a start or an end that crashed at any call is completed by the next call', async () => {
  let crashes = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    crashed = false;
    for (const fault of ['crash before call', 'crash after call'] as const) {
      for (const [step, next] of [
        [start, start],
        [start, endMaintenance],
        [endMaintenance, endMaintenance],
        [endMaintenance, start],
      ] as const) {
        if (step === endMaintenance) await start();
        crash = { at, fault };
        const label = `maintenance ${at} ${fault} ${step.name}`;
        const failed = await runAsInvocation<unknown>(label, step).then(
          () => false,
          () => true,
        );
        crash = undefined;
        crashed ||= failed;
        crashes += failed ? 1 : 0;
        await next();
        const { status } = await create();
        expect([at, fault, step.name, next.name, status]).toEqual([
          at,
          fault,
          step.name,
          next.name,
          next === start ? 429 : 201,
        ]);
        await endMaintenance();
      }
    }
  }
  expect(crashes).toBeGreaterThan(20);
});

describe.each(rowsOf(changes))('%s', (_, endpoint) => {
  test('is refused with 429 and Retry-After, in one call and without an effect', async () => {
    const { path, body } = await exampleOf(endpoint, account.test);
    await start();
    const response = await account.test.send(endpoint.method, path, { body });
    expectError(response, 429, 'maintenance');
    expect(response.headers['retry-after']).toBe('60');
    expect(response.json.error.type).toBe('rate_limit_error');
    await endMaintenance();
    expect((await account.test.send(endpoint.method, path, { body })).status).toBeLessThan(300);
  });
});

test.each(rowsOf((endpoint) => serves(endpoint) && !changes(endpoint)))(
  '%s continues',
  async (_, endpoint) => {
    const { path } = await exampleOf(endpoint, account.test);
    await start();
    expect((await account.test.get(path)).status).toBe(200);
  },
);

test('a repetition under an idempotency key is refused too, and gets its stored answer afterwards', async () => {
  const key = { headers: { 'Idempotency-Key': 'one' } };
  const first = await create(key);
  await start();
  expectError(await create(key), 429, 'maintenance');
  await endMaintenance();
  expect((await create(key)).text).toBe(first.text);
});

test('the keys of the live mode are refused too; a key without permission gets 403, an unknown route 404', async () => {
  await start();
  expectError(await account.live.post('/api/invoices', invoiceBody()), 429, 'maintenance');
  expectError(await account.test.post('/api/nothing', {}), 404, 'route_not_found');
  expectError(await apiOf(stack.baseUrl, undefined).post('/api/invoices', {}), 401, 'missing_api_key');
});

test('a payer is asked to come back, and an open form is refused without a charge', async () => {
  const { id, paymentUrl } = await newInvoice();
  const form = formOf(await openPage(paymentUrl));
  await start();
  const refused = await submit(paymentUrl, { ...form, ...goodCard });
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  expect(refused.text).toContain('Please come back later');
  clock.advance(drainMs);
  const shown = await openPage(paymentUrl);
  expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('Please come back later') });
  expect(shown.text).not.toContain('<form');
  expect((await account.test.get(`/api/payments?invoiceId=${id}`)).json.pagination.total).toBe(0);

  await endMaintenance();
  expect((await submit(paymentUrl, { ...form, ...goodCard })).status).toBe(303);
  expect((await account.test.get(`/api/invoices/${id}`)).json.status).toBe('paid');
});

test('the receipt of a paid invoice stays', async () => {
  const { id, paymentUrl } = await newInvoice();
  await account.test.post('/api/payments', cardPaymentBody(id, cards.completes));
  await start();
  clock.advance(drainMs);
  expect((await openPage(paymentUrl)).text).toContain('This page is your receipt');
});

test('no account is created meanwhile', async () => {
  await start();
  await expect(createAccount({ name: 'Late', plan: 'standard' })).rejects.toThrow('is in maintenance');
  await endMaintenance();
  expect((await createAccount({ name: 'Early', plan: 'standard' })).accountId).toMatch(/^acct_/);
});

test.each([
  [{}, 'startedAt'],
  [{ startedAt: 'lots' }, 'startedAt'],
  [{ startedAt: 1, effectiveAt: 'lots' }, 'effectiveAt'],
])(
  'a malformed item %j counts as maintenance, the commands say so, and the end deletes it',
  async (attributes, name) => {
    await tableOf(stack).put({ ...tableKeys.maintenance, ...attributes });
    await expect(createAccount({ name: 'Late', plan: 'standard' })).rejects.toThrow(
      'The service is in maintenance. Run npx remit maintenance off',
    );
    // A start adds what is missing.
    for (const command of 'startedAt' in attributes ? [readMaintenance, start] : [readMaintenance]) {
      const error = await command().catch((refusal: Error) => refusal);
      expect(error).toMatchObject({
        name: 'MalformedItemError',
        message: expect.stringMatching(
          `^MAINTENANCE is malformed: its attribute ${name} .* Run npx remit maintenance off`,
        ),
      });
    }
    await endMaintenance();
    expect(await readMaintenance()).toBeUndefined();
    expect((await createAccount({ name: 'Early', plan: 'standard' })).accountId).toMatch(/^acct_/);
    expect((await create()).status).toBe(201);
  },
);

test('starting twice keeps the time, and it takes effect after the longest request', async () => {
  const first = await start();
  expect(first.effectiveAt).toBe(clock.now() + drainMs);
  clock.advance(5_000);
  expect(await start()).toEqual(first);
  expect(await readMaintenance()).toEqual(first);
});

test('the command waits until no earlier request can write, and says so', async () => {
  setClock();
  expect(await runJson('maintenance', ['status'])).toEqual({ status: 'off', effectiveAt: null });
  const { code, out } = await run('maintenance', ['on']);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('No request has written since') });
  const { effectiveAt } = await runJson('maintenance', ['status']);
  expect(Date.parse(effectiveAt)).toBeLessThanOrEqual(Date.now());
  expectError(await create(), 429, 'maintenance');
  expect(await runJson('maintenance', ['off'])).toEqual({ status: 'off', effectiveAt: null });
  expect((await create()).status).toBe(201);
});
