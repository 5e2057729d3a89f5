/** Drives the functions of payments, refunds and the payment page through all that they do, rare ways included. */
import { expect } from '@jest/globals';
import { keys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import { type Call, type Death, type Observed, queueEvent } from './observed-calls.ts';

/** What the functions run in. */
export interface Surroundings extends Pick<Observed, 'run' | 'request'> {
  readonly table: TestTable;
  /** Creates an invoice; returns its id. */
  readonly newInvoice: () => Promise<string>;
  /** Publishes what is in the outbox, as the stream would have it done. */
  readonly publishAll: () => Promise<void>;
  /** Moves the clock on. */
  readonly advance: (ms: number) => void;
}

const files = {
  create: 'functions/payments/create.ts',
  cancel: 'functions/invoices/cancel.ts',
  refund: 'functions/refunds/create.ts',
  show: 'functions/pay/show.ts',
  submit: 'functions/pay/submit.ts',
  settle: 'functions/background/settle-payment.ts',
  process: 'functions/background/process-refund.ts',
};

const approved = '4242424242424242';
const settlesLater = '4000000000000077';
const refundFailsLater = '4000000000005126';

const beforeProvider: Death = (actions) => actions.some(({ partition }) => partition === 'testProvider');
/** The intent is written, the provider has been asked; the outcome is not written. */
const beforeOutcome = (): Death => {
  let transactions = 0;
  return (actions) => actions.length > 1 && ++transactions === 2;
};

export async function driveMoney(surroundings: Surroundings): Promise<void> {
  const ways = waysOf(surroundings);
  await payments(surroundings, ways);
  await page(surroundings, ways);
  await settlement(surroundings, ways);
  await refunds(surroundings, ways);
}

type Ways = ReturnType<typeof waysOf>;

function waysOf({ run, request, newInvoice }: Surroundings) {
  const pay = (invoiceId: string, number: string, call: Call = {}) => {
    const card = { number, expMonth: 12, expYear: 2090, cvc: '123' };
    return request(files.create, 'POST', '/api/payments', {
      ...call,
      body: { invoiceId, method: 'card', card },
    });
  };
  const work = async (file: string, reference: string, meanwhile?: Death) => {
    const kind = file === files.settle ? 'payment' : 'refund';
    const event = queueEvent({ reference, kind, due: 1, minute: 1 });
    expect(await run(file, event, meanwhile)).toEqual({ batchItemFailures: [] });
  };
  return {
    pay,
    paid: async (number: string) => (await pay(await newInvoice(), number)).id as string,
    refund: (paymentId: string, call: Call = {}) =>
      request(files.refund, 'POST', '/api/refunds', { ...call, body: { paymentId } }),
    settle: (id: string, meanwhile?: Death) => work(files.settle, id, meanwhile),
    process: (id: string) => work(files.process, id),
  };
}

async function payments({ table, request, newInvoice, advance }: Surroundings, { pay }: Ways): Promise<void> {
  const invoiceId = await newInvoice();
  const offline = { body: { invoiceId, method: 'offline' } };
  expect(await request(files.create, 'POST', '/api/payments', offline)).toMatchObject({
    status: 'completed',
  });
  // Refused under a key: not before payment, invoice and key's record were read as they were at one moment.
  expect(await pay(invoiceId, approved, { idempotencyKey: 'paid' })).toMatchObject({ answered: 400 });
  const later = await pay(await newInvoice(), settlesLater);
  expect(later).toMatchObject({ answered: 201, status: 'pending' });
  expect(await request('functions/payments/get.ts', 'GET', '/', { id: later.id })).toMatchObject({
    answered: 200,
  });

  const interrupted = await newInvoice();
  const call = { idempotencyKey: 'interrupted' };
  expect(await pay(interrupted, approved, { ...call, dies: beforeProvider })).toMatchObject({
    answered: 500,
  });
  expect(await pay(interrupted, approved, call)).toMatchObject({ answered: 201, status: 'completed' });
  const known = { idempotencyKey: 'known by the provider' };
  const asked = await newInvoice();
  expect(await pay(asked, settlesLater, { ...known, dies: beforeOutcome() })).toMatchObject({
    answered: 500,
  });
  advance(4_000);
  expect(await pay(asked, settlesLater, known)).toMatchObject({ answered: 201, status: 'completed' });
  await listAhead('functions/payments/list.ts', later.id, 'failed', { table, request });
}

/** A record that is ahead of its page, and one that is gone. */
async function listAhead(
  file: string,
  id: string,
  status: string,
  { table, request }: Pick<Surroundings, 'table' | 'request'>,
): Promise<void> {
  const { pagination: before } = await request(file, 'GET', '/');
  const record = await table.get(keys.record(id));
  await table.put({ ...record, status });
  expect(await request(file, 'GET', '/')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id, status })]),
  });
  await table.delete(keys.record(id));
  const { pagination } = await request(file, 'GET', '/');
  expect(pagination.total).toBe(before.total - 1);
  await table.put({ ...record });
}

async function page({ request, newInvoice, advance }: Surroundings, { settle }: Ways): Promise<void> {
  const id = await newInvoice();
  expect(await request(files.show, 'GET', `/pay/${id}`, { id, form: {} })).toMatchObject({ answered: 200 });
  let attempts = 0;
  const form = (number: string) => ({
    ...{ attempt: String(attempts++).padStart(26, '0'), version: '1', amount: '2500' },
    ...{ number, expiry: '12/90', cvc: '123' },
  });
  const submit = (to: string, fields: Record<string, string>, dies?: Death) =>
    request(files.submit, 'POST', `/pay/${to}`, { id: to, form: fields, dies });
  // Settings are remembered for half a minute, here by all functions together.
  advance(31_000);
  expect(await submit(id, form('4242'))).toMatchObject({ answered: 400 });
  const declined = await submit(id, form('4000000000000002'));
  expect(declined).toMatchObject({ answered: 303, location: expect.stringContaining('?payment=pay_') });
  const query = { payment: String(declined.location).split('=')[1] ?? '' };
  expect(await request(files.show, 'GET', `/pay/${id}`, { id, query, form: {} })).toMatchObject({
    answered: 200,
  });
  const sent = form(approved);
  expect(await submit(id, sent, beforeProvider)).toMatchObject({ answered: 500 });
  expect(await submit(id, sent)).toMatchObject({ answered: 303, location: '?' });
  expect(await submit(id, sent)).toMatchObject({ answered: 303, location: '?' });

  const other = await newInvoice();
  expect(await submit(other, form(settlesLater))).toMatchObject({ answered: 303 });
  const known = await newInvoice();
  const again = form(settlesLater);
  expect(await submit(known, again, beforeOutcome())).toMatchObject({ answered: 500 });
  advance(4_000);
  expect(await submit(known, again)).toMatchObject({ answered: 303, location: '?' });
  await settle('pay_0');
}

async function settlement(surroundings: Surroundings, { pay, paid, settle, process }: Ways): Promise<void> {
  const { table, request, newInvoice, publishAll, advance } = surroundings;
  const statusOf = async (id: string) => (await table.get(keys.record(id)))?.status;
  const intentOf = async (invoiceId: string) =>
    (await table.get(keys.record(invoiceId)))?.paymentInProgress as string;

  const abandoned = await newInvoice();
  await pay(abandoned, approved, { idempotencyKey: 'abandoned', dies: beforeProvider });
  const intent = await intentOf(abandoned);
  await table.delete(keys.watermark);
  await settle(intent);
  expect(await statusOf(intent)).toBe('pending');
  advance(60_000);
  await settle(intent);
  expect(await statusOf(intent)).toBe('failed');

  const cancelled = await newInvoice();
  const late = await pay(cancelled, settlesLater);
  await request(files.cancel, 'DELETE', '/', { id: cancelled });
  await settle(late.id);
  advance(4_000);
  await settle(late.id);
  expect(await statusOf(late.id)).toBe('completed');
  await publishAll();
  await process(late.id);
  await publishAll();

  // Taken, although somebody else had learned meanwhile that the payment failed: it goes back.
  const reversed = await paid(settlesLater);
  const record = await table.get(keys.record(reversed));
  advance(4_000);
  await settle(reversed, async (actions) => {
    const isAsking = actions.some(({ name, partition }) => `${name} ${partition}` === 'GetItem testProvider');
    if (isAsking) await table.put({ ...record, status: 'failed', version: record?.version + 1 });
    return false;
  });
  expect((await table.get(keys.record(reversed)))?.owed).toBe('reversal');
  await settle(reversed);
  expect((await table.get(keys.record(reversed)))?.owed).toBeUndefined();
  expect(await table.get(keys.testProvider(reversed))).toMatchObject({ leftMinor: 0 });
}

async function refunds(surroundings: Surroundings, { paid, refund, process }: Ways): Promise<void> {
  const { table, request, publishAll, advance } = surroundings;
  const paymentId = await paid(approved);
  const done = await refund(paymentId, { idempotencyKey: 'refund' });
  expect(done).toMatchObject({ answered: 201, status: 'pending' });
  expect(await refund(paymentId, { idempotencyKey: 'refunded' })).toMatchObject({ answered: 400 });
  await publishAll();
  await process(done.id);
  const got = await request('functions/refunds/get.ts', 'GET', '/', { id: done.id });
  expect(got).toMatchObject({ answered: 200, status: 'processed' });

  const fails = await refund(await paid(refundFailsLater));
  await listAhead('functions/refunds/list.ts', fails.id, 'failed', { table, request });
  await table.delete(keys.watermark);
  await process(fails.id);
  advance(4_000);
  await process(fails.id);
  expect((await table.get(keys.record(fails.id)))?.status).toBe('failed');
}
