/** Runs the functions of payments, refunds and the payment page through all code paths, including rare ones. */

import { expect } from '@jest/globals';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import {
  type CrashCondition,
  type FunctionCallOptions,
  type ObservedFunctions,
  queueEvent,
} from './observed-calls.ts';

/** The test tools that these runs need. */
export interface PaymentDriverDependencies extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  /** Creates an invoice; returns its id. */
  readonly newInvoice: () => Promise<string>;
  /** Relays all outbox items, as the stream would. */
  readonly relayAll: () => Promise<void>;
  /** Advances the clock. */
  readonly advance: (ms: number) => void;
}

const files = {
  create: 'functions/payments/create.ts',
  cancel: 'functions/invoices/cancel.ts',
  void: 'functions/payments/void.ts',
  refund: 'functions/refunds/create.ts',
  show: 'functions/pay/show.ts',
  submit: 'functions/pay/submit.ts',
  settle: 'functions/background/settle-payment.ts',
  process: 'functions/background/process-refund.ts',
};

const approved = '4242424242424242';
const settlesLater = '4000000000000077';
const refundFailsLater = '4000000000005126';
const disputed = '4000000000000259';

const beforeProvider: CrashCondition = (actions) =>
  actions.some(({ partition }) => partition === 'testProvider');
/** The process crashes after the provider has the charge and before the outcome is stored. */
const beforeOutcome = (): CrashCondition => {
  let transactions = 0;
  return (actions) => actions.length > 1 && ++transactions === 2;
};

export async function driveMoney(dependencies: PaymentDriverDependencies): Promise<void> {
  const actions = createActions(dependencies);
  await payments(dependencies, actions);
  await page(dependencies, actions);
  await settlement(dependencies, actions);
  await disputes(dependencies, actions);
  await refunds(dependencies, actions);
  await parts(dependencies);
  await credit(dependencies);
}

type PaymentActions = ReturnType<typeof createActions>;

function createActions({ run, request, newInvoice }: PaymentDriverDependencies) {
  const pay = (invoiceId: string, number: string, call: FunctionCallOptions = {}) => {
    const card = { number, expMonth: 12, expYear: 2090, cvc: '123' };
    return request(files.create, 'POST', '/api/payments', {
      ...call,
      body: { invoiceId, method: 'card', card },
    });
  };
  const work = async (file: string, reference: string, crash?: CrashCondition) => {
    const kind = file === files.settle ? 'payment' : 'refund';
    const event = queueEvent({ reference, kind, due: 1, minute: 1 });
    expect(await run(file, event, crash)).toEqual({ batchItemFailures: [] });
  };
  return {
    pay,
    paid: async (number: string) => (await pay(await newInvoice(), number)).id as string,
    refund: (paymentId: string, call: FunctionCallOptions = {}) =>
      request(files.refund, 'POST', '/api/refunds', { ...call, body: { paymentId } }),
    settle: (id: string, crash?: CrashCondition) => work(files.settle, id, crash),
    process: (id: string) => work(files.process, id),
  };
}

async function payments(
  { table, request, newInvoice, advance }: PaymentDriverDependencies,
  { pay }: PaymentActions,
): Promise<void> {
  const invoiceId = await newInvoice();
  const offline = { invoiceId, method: 'offline', bank: 'Bank of Bhutan', reference: 'FT 1' };
  const paid = request(files.create, 'POST', '/api/payments', {
    body: offline,
    apiVersion: newestApiVersion,
  });
  expect(await paid).toMatchObject({ status: 'completed' });
  // With an idempotency key, a refusal requires a consistent read of the payment, the invoice and the key's record.
  expect(await pay(invoiceId, approved, { idempotencyKey: 'paid' })).toMatchObject({ statusCode: 400 });
  const later = await pay(await newInvoice(), settlesLater);
  expect(later).toMatchObject({ statusCode: 201, status: 'pending' });
  expect(await request('functions/payments/get.ts', 'GET', '/', { id: later.id })).toMatchObject({
    statusCode: 200,
  });

  const interrupted = await newInvoice();
  const call = { idempotencyKey: 'interrupted' };
  expect(await pay(interrupted, approved, { ...call, crash: beforeProvider })).toMatchObject({
    statusCode: 500,
  });
  expect(await pay(interrupted, approved, call)).toMatchObject({ statusCode: 201, status: 'completed' });
  const known = { idempotencyKey: 'known by the provider' };
  const asked = await newInvoice();
  expect(await pay(asked, settlesLater, { ...known, crash: beforeOutcome() })).toMatchObject({
    statusCode: 500,
  });
  advance(4_000);
  expect(await pay(asked, settlesLater, known)).toMatchObject({ statusCode: 201, status: 'completed' });
  await listStaleIndex('functions/payments/list.ts', later.id, 'failed', { table, request });
  for (const resource of ['payments', 'invoices'])
    await request(`functions/${resource}/list.ts`, 'GET', `/api/${resource}`, {
      query: { amount: '2500' },
      apiVersion: newestApiVersion,
    });
}

/** Lists a record that is newer than its index page, and then one that no longer exists. */
async function listStaleIndex(
  file: string,
  id: string,
  status: string,
  { table, request }: Pick<PaymentDriverDependencies, 'table' | 'request'>,
): Promise<void> {
  const { pagination: before } = await request(file, 'GET', '/');
  const record = await table.get(tableKeys.record(id));
  await table.put({ ...record, status });
  expect(await request(file, 'GET', '/')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id, status })]),
  });
  await table.delete(tableKeys.record(id));
  const { pagination } = await request(file, 'GET', '/');
  expect(pagination.total).toBe(before.total - 1);
  await table.put({ ...record });
}

/** Cancels an invoice that has received a part. */
async function parts({ request, newInvoice }: PaymentDriverDependencies): Promise<void> {
  const id = await newInvoice();
  const apiVersion = newestApiVersion;
  const change = { id, body: { acceptPartial: true }, apiVersion };
  expect(await request('functions/invoices/update.ts', 'PATCH', '/', change)).toMatchObject({
    statusCode: 200,
  });
  const part = { body: { invoiceId: id, method: 'offline', amount: 100 }, apiVersion };
  expect(await request(files.create, 'POST', '/api/payments', part)).toMatchObject({ statusCode: 201 });
  const wrong = { ...part.body, bank: 'Bank of Bhutan', reference: 'FT 2' };
  const recorded = await request(files.create, 'POST', '/api/payments', { ...part, body: wrong });
  const undone = { id: recorded.id, body: { reason: 'Typed by mistake' } };
  const voided = await request(files.void, 'POST', '/', { ...undone, idempotencyKey: 'void' });
  expect(voided).toMatchObject({ statusCode: 200 });
  const again = await request(files.void, 'POST', '/', { ...undone, idempotencyKey: 'voided' });
  expect(again).toMatchObject({ statusCode: 400 });
  await voidOfPaid(request);
  const query = { payments: 'refund' };
  expect(await request(files.cancel, 'DELETE', '/', { id, query })).toMatchObject({ statusCode: 200 });
}

/** Keeps a payment as credit, which pays other invoices, and goes back. */
async function credit({ request }: PaymentDriverDependencies): Promise<void> {
  const apiVersion = newestApiVersion;
  const create = (fields: object = {}, crash?: CrashCondition) => {
    const body = { customerId: 'credit_1', amount: 300, currency: 'USD', description: 'Tea', ...fields };
    return request('functions/invoices/create.ts', 'POST', '/', { body, apiVersion, crash });
  };
  const pay = (invoiceId: string, fields: object, idempotencyKey?: string) =>
    request(files.create, 'POST', '/', {
      body: { invoiceId, ...fields },
      apiVersion,
      ...(idempotencyKey && { idempotencyKey }),
    });
  const cancel = (id: string) =>
    request(files.cancel, 'DELETE', '/', { id, query: { payments: 'credit' }, apiVersion });
  const voided = async (id: string) =>
    expect(
      await request(files.void, 'POST', '/', { id, body: { reason: 'Not now' }, apiVersion }),
    ).toMatchObject({ statusCode: 200 });
  const { id: first } = await create({ acceptPartial: true });
  const { id: source } = await pay(first, { method: 'offline', amount: 200 });
  expect(await cancel(first)).toMatchObject({ statusCode: 200 });
  const { id: second } = await create();
  const used = await pay(second, { method: 'credit', creditFrom: source, amount: 50 }, 'credit');
  expect(used).toMatchObject({ statusCode: 201, creditFrom: source });
  expect(await pay(second, { method: 'credit' })).toMatchObject({ statusCode: 201, amount: 150 });
  expect(await pay(second, { method: 'credit' }, 'no credit')).toMatchObject({ statusCode: 400 });
  await voided(used.id);
  expect(await cancel(second)).toMatchObject({ statusCode: 200 });
  // Another invoice takes the credit after it was found: some of it each time, and then the rest.
  const { id: other } = await create();
  let left = 6;
  const taking: CrashCondition = async (actions) => {
    if (actions.length < 4 || left === 0) return false;
    left -= 1;
    const taken = { method: 'credit', ...(left > 0 && { amount: 1 }) };
    expect(await pay(other, taken)).toMatchObject({ statusCode: 201, creditFrom: source });
    return false;
  };
  expect(await create({ useCredit: true }, taking)).toMatchObject({ statusCode: 201, amountPaid: 0 });
  const { id: fourth } = await create();
  const over = { method: 'offline', amount: 301, acceptOver: true };
  expect(await pay(fourth, over)).toMatchObject({ statusCode: 201, amountOver: 1 });
  const { id: third } = await create({ acceptPartial: true });
  const wrong = await pay(third, { method: 'offline', amount: 50 });
  expect(await cancel(third)).toMatchObject({ statusCode: 200 });
  await voided(wrong.id);
}

/** Voids one of two payments of a paid invoice with a reference, which another one replaces. */
async function voidOfPaid(request: PaymentDriverDependencies['request']): Promise<void> {
  const apiVersion = newestApiVersion;
  const fields = { customerId: 'cust_1', amount: 300, currency: 'USD', description: 'Tea' };
  const body = { ...fields, reference: 'PO void', acceptPartial: true };
  const { id: invoiceId } = await request('functions/invoices/create.ts', 'POST', '/', { body, apiVersion });
  const pay = (amount: number) =>
    request(files.create, 'POST', '/', { body: { invoiceId, method: 'offline', amount }, apiVersion });
  const { id } = await pay(100);
  expect(await pay(200)).toMatchObject({ statusCode: 201 });
  const undone = { id, body: { reason: 'Typed by mistake' } };
  expect(await request(files.void, 'POST', '/', undone)).toMatchObject({ statusCode: 200 });
}

async function page(
  { request, newInvoice, advance }: PaymentDriverDependencies,
  { settle }: PaymentActions,
): Promise<void> {
  const id = await newInvoice();
  expect(await request(files.show, 'GET', `/pay/${id}`, { id, form: {} })).toMatchObject({ statusCode: 200 });
  let attempts = 0;
  const form = (number: string) => ({
    attempt: String(attempts++).padStart(26, '0'),
    version: '1',
    amount: '2500',
    number,
    expiry: '12/90',
    cvc: '123',
  });
  const submit = (to: string, fields: Record<string, string>, crash?: CrashCondition) =>
    request(files.submit, 'POST', `/pay/${to}`, { id: to, form: fields, crash });
  // The functions cache the settings for 30 seconds. In this test they share one cache.
  advance(31_000);
  expect(await submit(id, form('4242'))).toMatchObject({ statusCode: 400 });
  const declined = await submit(id, form('4000000000000002'));
  expect(declined).toMatchObject({ statusCode: 303, location: expect.stringContaining('?payment=pay_') });
  const query = { payment: /payment=(\w+)/.exec(String(declined.location))?.[1] ?? '' };
  expect(await request(files.show, 'GET', `/pay/${id}`, { id, query, form: {} })).toMatchObject({
    statusCode: 200,
  });
  const sent = form(approved);
  expect(await submit(id, sent, beforeProvider)).toMatchObject({ statusCode: 500 });
  expect(await submit(id, sent)).toMatchObject({ statusCode: 303, location: '?' });
  expect(await submit(id, sent)).toMatchObject({ statusCode: 303, location: '?' });

  // The table learns of page views in batches of a hundred. A form that pays nothing counts as ten.
  for (let view = 0; view < 100; view++) await request(files.show, 'GET', `/pay/${id}`, { id, form: {} });
  for (let count = 0; count < 10; count++) await submit(id, form('4242'));

  const other = await newInvoice();
  expect(await submit(other, form(settlesLater))).toMatchObject({ statusCode: 303 });
  const known = await newInvoice();
  const again = form(settlesLater);
  expect(await submit(known, again, beforeOutcome())).toMatchObject({ statusCode: 500 });
  advance(4_000);
  expect(await submit(known, again)).toMatchObject({ statusCode: 303, location: '?' });
  await settle('pay_0');
}

async function settlement(
  dependencies: PaymentDriverDependencies,
  { pay, paid, settle, process }: PaymentActions,
): Promise<void> {
  const { table, request, newInvoice, relayAll, advance } = dependencies;
  const statusOf = async (id: string) => (await table.get(tableKeys.record(id)))?.status;
  const pendingPaymentOf = async (invoiceId: string) =>
    (await table.get(tableKeys.record(invoiceId)))?.paymentInProgress as string;

  const abandoned = await newInvoice();
  await pay(abandoned, approved, { idempotencyKey: 'abandoned', crash: beforeProvider });
  const pendingPayment = await pendingPaymentOf(abandoned);
  await table.delete(tableKeys.watermark);
  await settle(pendingPayment);
  expect(await statusOf(pendingPayment)).toBe('pending');
  advance(60_000);
  await settle(pendingPayment);
  expect(await statusOf(pendingPayment)).toBe('failed');

  const cancelled = await newInvoice();
  const late = await pay(cancelled, settlesLater);
  await request(files.cancel, 'DELETE', '/', { id: cancelled });
  await settle(late.id);
  advance(4_000);
  await settle(late.id);
  expect(await statusOf(late.id)).toBe('completed');
  await relayAll();
  await process(late.id);
  await relayAll();

  // The provider captures the payment after it was recorded as failed, so the service must return the money.
  const compensated = await paid(settlesLater);
  const record = await table.get(tableKeys.record(compensated));
  advance(4_000);
  await settle(compensated, async (actions) => {
    const readsProvider = actions.some(
      ({ name, partition }) => `${name} ${partition}` === 'GetItem testProvider',
    );
    if (readsProvider) await table.put({ ...record, status: 'failed', version: record?.version + 1 });
    return false;
  });
  expect((await table.get(tableKeys.record(compensated)))?.pendingCompensation).toBe('reversal');
  await settle(compensated);
  expect((await table.get(tableKeys.record(compensated)))?.pendingCompensation).toBeUndefined();
  expect(await table.get(tableKeys.testProvider(compensated))).toMatchObject({ leftMinor: 0 });
}

/** A test card whose payments are disputed. */
async function disputes(
  { table }: PaymentDriverDependencies,
  { paid, settle }: PaymentActions,
): Promise<void> {
  const paymentId = await paid(disputed);
  await settle(paymentId);
  expect((await table.get(tableKeys.record(paymentId)))?.dispute).toMatchObject({ status: 'open' });
}

async function refunds(
  dependencies: PaymentDriverDependencies,
  { paid, refund, process }: PaymentActions,
): Promise<void> {
  const { table, request, relayAll, advance } = dependencies;
  const paymentId = await paid(approved);
  const done = await refund(paymentId, { idempotencyKey: 'refund' });
  expect(done).toMatchObject({ statusCode: 201, status: 'pending' });
  expect(await refund(paymentId, { idempotencyKey: 'refunded' })).toMatchObject({ statusCode: 400 });
  await relayAll();
  await process(done.id);
  const got = await request('functions/refunds/get.ts', 'GET', '/', { id: done.id });
  expect(got).toMatchObject({ statusCode: 200, status: 'processed' });

  const fails = await refund(await paid(refundFailsLater));
  await listStaleIndex('functions/refunds/list.ts', fails.id, 'failed', { table, request });
  await table.delete(tableKeys.watermark);
  await process(fails.id);
  advance(4_000);
  await process(fails.id);
  expect((await table.get(tableKeys.record(fails.id)))?.status).toBe('failed');
}
