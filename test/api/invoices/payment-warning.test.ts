/** Tests the header `Remit-Warning`: it says that payers cannot pay a new live invoice. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { hostedProviderNames } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { invoiceBody, listenToRequestLog, newAccount, type TestAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { interceptCalls } from '../../support/intercept-calls.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';

let stack: Stack;
let account: TestAccount;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  account.live.post('/api/invoices', invoiceBody(fields), { headers });
const warningOf = async (fields: Record<string, unknown> = {}) => {
  const { status, headers } = await create(fields);
  expect(status).toBe(201);
  return headers['remit-warning'];
};
const warningsByCurrency = async () => ({
  USD: await warningOf({ currency: 'USD' }),
  BTN: await warningOf({ currency: 'BTN' }),
  INR: await warningOf({ currency: 'INR' }),
});
const set = async (settings: object) => {
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, settings);
};

/** What a connection stores besides its currencies and its credentials. */
const stored = {
  accountName: 'Shop',
  connectedAt: 1,
  keyLast4: '1111',
  notificationSecretCount: 1,
  rotatedAt: 1,
  version: 1,
};

test('a live invoice without a way to pay is created with a warning, also if the request is repeated', async () => {
  const first = await create({}, { 'Idempotency-Key': 'one' });
  const second = await create({}, { 'Idempotency-Key': 'one' });
  for (const { status, headers } of [first, second])
    expect({ status, warning: headers['remit-warning'] }).toEqual({
      status: 201,
      warning: 'no_payment_method',
    });
  expect(second.text).toEqual(first.text);
  expect(second.headers['idempotent-replayed']).toBe('true');
});

test('an invoice that replaces another one, and that of a draft, are judged by what they come to', async () => {
  const key = tableKeys.connection({ account: account.accountId, mode: 'live' }, 'razorpay');
  await (await tableOf(stack)).put({ ...key, ...stored, currencies: ['INR'] });
  const live = inNewestVersion(account.live);
  const { id } = (await create({ currency: 'INR', amount: 100 })).json;
  const replace = (of: string, amount: number) => live.post(`/api/invoices/${of}/replace`, { amount });
  const small = await replace(id, 99);
  expect([small.status, small.headers['remit-warning']]).toEqual([200, 'amount_not_accepted']);
  const large = await replace(small.json.id, 101);
  expect([large.status, large.headers['remit-warning']]).toEqual([200, undefined]);
  const finalize = async (amount: number) => {
    const draft = await live.post('/api/drafts', invoiceBody({ currency: 'INR', amount }));
    const { status, headers } = await live.post(`/api/drafts/${draft.json.id}/finalize`);
    return [status, headers['remit-warning']];
  };
  expect(await finalize(99)).toEqual([201, 'amount_not_accepted']);
  expect(await finalize(101)).toEqual([201, undefined]);
});

test('other answers have no warning', async () => {
  expect((await account.test.post('/api/invoices', invoiceBody())).headers['remit-warning']).toBeUndefined();
  const { id } = (await create()).json;
  expect((await account.live.get(`/api/invoices/${id}`)).headers['remit-warning']).toBeUndefined();
  const refused = await create({ amount: -1 });
  expect({ status: refused.status, warning: refused.headers['remit-warning'] }).toEqual({ status: 400 });
});

test.each([
  ['payment instructions', { paymentInstructions: 'Bank of Bhutan, account 1' }],
  ['a QR code', { paymentQr: 'bank-link' }],
])('%s are a way to pay in each currency', async (_, settings) => {
  await set(settings);
  expect(await warningsByCurrency()).toEqual({});
});

test('payment instructions of a currency are a way to pay its invoices', async () => {
  await set({ paymentInstructionsBtn: 'Bank of Bhutan, account 1' });
  expect(await warningsByCurrency()).toEqual({ USD: 'no_payment_method', INR: 'no_payment_method' });
});

test('a UPI ID is a way to pay invoices in INR', async () => {
  await set({ upiId: 'shop@okbank' });
  expect(await warningsByCurrency()).toEqual({ USD: 'no_payment_method', BTN: 'no_payment_method' });
});

test('a connected provider is a way to pay in its currencies, until it is disconnected', async () => {
  const table = await tableOf(stack);
  const [provider = ''] = hostedProviderNames;
  const key = tableKeys.connection({ account: account.accountId, mode: 'live' }, provider);
  const connection = { ...key, ...stored, currencies: ['USD'] };
  await table.put(connection);
  expect(await warningsByCurrency()).toEqual({ BTN: 'no_payment_method', INR: 'no_payment_method' });
  await table.put({ ...connection, disconnectedAt: 2 });
  const later = Date.now() + 30_000;
  setClock(() => later);
  expect(await warningOf({ currency: 'USD' })).toBe('no_payment_method');
});

test('an amount outside the limits of the connected provider has a warning of its own', async () => {
  const key = tableKeys.connection({ account: account.accountId, mode: 'live' }, 'razorpay');
  await (await tableOf(stack)).put({ ...key, ...stored, currencies: ['INR'] });
  expect(await warningOf({ currency: 'INR', amount: 99 })).toBe('amount_not_accepted');
  expect(await warningOf({ currency: 'INR', amount: 100 })).toBeUndefined();
});

test('an amount above the maximum that the merchant has stated has the same warning', async () => {
  const key = tableKeys.connection({ account: account.accountId, mode: 'live' }, 'razorpay');
  const connection = { ...stored, currencies: ['INR'], maximumAmounts: { INR: 500_000 } };
  await (await tableOf(stack)).put({ ...key, ...connection });
  expect(await warningOf({ currency: 'INR', amount: 500_001 })).toBe('amount_not_accepted');
  expect(await warningOf({ currency: 'INR', amount: 500_000 })).toBeUndefined();
});

test('the warning costs no call in sequence, and no call at all for the next 30 seconds', async () => {
  const callsOf = async () => {
    const { dynamodbCallsInSequence, dynamodbCalls } = log.lineOf(await create());
    return { inSequence: dynamodbCallsInSequence, calls: dynamodbCalls };
  };
  const first = await callsOf();
  const second = await callsOf();
  expect([first.inSequence, second.inSequence]).toEqual([3, 3]);
  expect(first.calls).toBe(Number(second.calls) + 2);
});

test('if the settings cannot be read, the invoice is created without a warning', async () => {
  const profile = `"${tableKeys.account(account.accountId).pk}"`;
  const interception = interceptCalls((call, send) => {
    if (call.operation === 'GetItem' && call.body.includes(profile)) throw new Error('The read failed.');
    return send();
  });
  try {
    expect(await warningOf()).toBeUndefined();
  } finally {
    interception.remove();
  }
  expect(interception.calls.some(({ body }) => body.includes(profile))).toBe(true);
  expect(await warningOf()).toBe('no_payment_method');
});
