/**
 * Tests that each operation with credit of a customer has one effect when its process crashes at any call and the client repeats the
 * request under its idempotency key: a payment with credit, an invoice that is created with it, its void, also after it has paid an invoice,
 * and the cancellation that keeps payments as credit or gives it back.
 */
import { expect, test } from '@jest/globals';
import { balanceViolations } from '../model/audit-balances.ts';
import { pendingWorkViolations } from '../model/audit-pending-work.ts';
import { readQuiescentTable } from '../model/expect-consistent-invoices.ts';
import { readLifecycles } from '../model/stored-lifecycles.ts';
import { invoiceBody } from '../support/api.ts';
import { api, client, clock, crashes, layer, stack, table } from '../support/crash-test-file.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Beside each other, the requests make a few more calls than alone, and the last crash points are after the last call. */
const moreCalls = 4;
let count = 0;

/** The records that a request is about. */
interface Records {
  readonly customerId: string;
  /** A payment of 700 that is credit of the customer. */
  readonly source: string;
  /** An invoice of 2500. */
  readonly invoice: string;
  /** A payment of 500 of the invoice with the credit. */
  readonly use: string;
}
interface Operation {
  readonly method: string;
  readonly path: (records: Records) => string;
  readonly body?: (records: Records) => object;
  /** Whether a payment uses credit before, and whether the invoice is paid then. */
  readonly before?: 'used' | 'paid';
  /** What the source gives to other payments after the request, and what the invoice has received. */
  readonly credited: number;
  readonly amountPaid: number;
}
const operations: Readonly<Record<string, Operation>> = {
  'a payment with credit': {
    method: 'POST',
    path: () => '/api/payments',
    body: ({ invoice }) => ({ invoiceId: invoice, method: 'credit' }),
    credited: 700,
    amountPaid: 700,
  },
  'an invoice with credit': {
    method: 'POST',
    path: () => '/api/invoices',
    body: ({ customerId }) => invoiceBody({ customerId, useCredit: true }),
    credited: 700,
    amountPaid: 0,
  },
  'the void of a payment with credit': {
    method: 'POST',
    path: ({ use }) => `/api/payments/${use}/void`,
    body: () => ({ reason: 'Not now' }),
    before: 'used',
    credited: 0,
    amountPaid: 300,
  },
  'the void of a payment with credit of a paid invoice': {
    method: 'POST',
    path: ({ use }) => `/api/payments/${use}/void`,
    body: () => ({ reason: 'Not now' }),
    before: 'paid',
    credited: 0,
    amountPaid: 0,
  },
  'the cancellation that keeps payments as credit': {
    method: 'DELETE',
    path: ({ invoice }) => `/api/invoices/${invoice}?payments=credit`,
    before: 'used',
    credited: 0,
    amountPaid: 0,
  },
  'the cancellation that refunds payments': {
    method: 'DELETE',
    path: ({ invoice }) => `/api/invoices/${invoice}?payments=refund`,
    before: 'used',
    credited: 0,
    amountPaid: 300,
  },
};

async function prepare(before: Operation['before']): Promise<Records> {
  const customerId = `customer-${count++}`;
  const create = async () =>
    (await api.post('/api/invoices', invoiceBody({ customerId, acceptPartial: true }))).json.id as string;
  const pay = async (invoiceId: string, fields: object) =>
    (await api.post('/api/payments', { invoiceId, method: 'offline', ...fields })).json.id as string;
  const cancelled = await create();
  const source = await pay(cancelled, { amount: 700 });
  expect((await api.delete(`/api/invoices/${cancelled}?payments=credit`)).status).toBe(200);
  const invoice = await create();
  if (!before) return { customerId, source, invoice, use: '' };
  await pay(invoice, { amount: 300 });
  const use = await pay(invoice, { method: 'credit', amount: 500 });
  if (before === 'paid') await pay(invoice, {});
  return { customerId, source, invoice, use };
}

/** Prepares the request. `send` makes it each time under the same idempotency key. */
async function begin({ method, path, body, before }: Operation) {
  const records = await prepare(before);
  const label = `credit-${count++}`;
  const send = (headers = {}) =>
    api.send(method, path(records), {
      body: body?.(records),
      headers: { 'Idempotency-Key': label, ...headers },
    });
  return { records, label, send };
}

/** Makes the request without a crash. Returns how many calls it makes. */
async function countCalls(operation: Operation): Promise<number> {
  const { label, send } = await begin(operation);
  expect((await send({ [invocationHeader]: label })).status).toBeLessThan(300);
  return layer.invocation(label)?.operations.length ?? 0;
}

/** Makes the request with a crash at call `at`, and repeats it. Returns undefined if it does not make that many calls. */
async function crash(operation: Operation, at: number, fault: ScriptedFault) {
  const { records, label, send } = await begin(operation);
  crashes.set(label, { at, fault });
  const answer = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (answer) return undefined;
  const repeated = await send();
  expect(repeated.status).toBeLessThan(300);
  expect((await send()).text).toBe(repeated.text);
  return records;
}

test.each(Object.keys(operations))('%s has one effect after a crash at any call', async (name) => {
  const operation = operations[name] as Operation;
  await stack.stream.pause();
  await stack.queues.pause();
  const calls = (await countCalls(operation)) + moreCalls;
  const cases = Array.from({ length: calls }, (_, at) => [
    crash(operation, at, 'crash before call'),
    crash(operation, at, 'crash after call'),
  ]).flat();
  const crashed = (await Promise.all(cases)).flatMap((records) => records ?? []);
  await runUntilQuiescent({ stack, table, clock });
  const items = await readQuiescentTable(client);
  const { owner } = client;
  const violations = [readLifecycles(items, owner).violations, balanceViolations(items, owner)];
  expect([...violations.flat(), ...pendingWorkViolations(items, owner)]).toEqual([]);
  for (const { source, invoice, customerId } of crashed) {
    const { amountOver, amountCredited } = (await api.get(`/api/payments/${source}`)).json;
    expect([amountOver, amountCredited]).toEqual([700, operation.credited]);
    expect((await api.get(`/api/invoices/${invoice}`)).json.amountPaid).toBe(operation.amountPaid);
    const made = (await api.get(`/api/payments?customerId=${customerId}&limit=100`)).json.data;
    const uses = made.filter(
      (each: { creditFrom: string | null; voidedAt: string | null }) =>
        each.creditFrom === source && each.voidedAt === null,
    );
    expect(uses).toHaveLength(operation.credited === 0 ? 0 : 1);
  }
  expect(crashed.length).toBeGreaterThan(2);
  expect(crashed.length).toBeLessThan(cases.length);
});
