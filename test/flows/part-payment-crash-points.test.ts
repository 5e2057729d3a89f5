/**
 * Tests that a payment of a part, one that a row of a bank statement makes, its void, also after it has paid the invoice, and the cancellation of an invoice that has received parts, have one effect when their
 * process crashes at any call and the client repeats the request under its idempotency key.
 */
import { expect, test } from '@jest/globals';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import { invoiceBody } from '../support/api.ts';
import { api, client, clock, crashes, layer, stack, table } from '../support/crash-test-file.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { createStatement } from '../support/statements.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Beside each other, the requests make a few more calls than alone, and the last crash points are after the last call. */
const moreCalls = 4;
let count = 0;

interface Operation {
  readonly method: string;
  readonly path: (invoiceId: string, paymentId: string, row: string) => string;
  readonly body?: (invoiceId: string) => object;
  /** Whether a card pays the rest before. */
  readonly isPaid?: true;
  /** The invoice is paid before, and all of the money is more. */
  readonly isMore?: true;
  /** What the invoice has received afterwards, and what is above it. Undefined: a part of 700. */
  readonly paidWithOver?: readonly [amount: number, amountOver: number];
}
const operations: Readonly<Record<string, Operation>> = {
  'a part received offline': {
    method: 'POST',
    path: () => '/api/payments',
    body: (invoiceId) => ({ invoiceId, method: 'offline', amount: 700, bank: 'Cash', reference: invoiceId }),
  },
  'more than is due, received offline': {
    method: 'POST',
    path: () => '/api/payments',
    body: (invoiceId) => ({ invoiceId, method: 'offline', amount: 1800, acceptOver: true }),
    paidWithOver: [1800, 300],
  },
  'more than is due, from a row of a statement': {
    method: 'POST',
    path: (_, __, row) => `${row}/match`,
    body: (invoiceId) => ({ invoiceId, acceptOver: true }),
    paidWithOver: [1800, 300],
  },
  'money for a paid invoice, received offline': {
    method: 'POST',
    path: () => '/api/payments',
    body: (invoiceId) => ({ invoiceId, method: 'offline', amount: 700, acceptOver: true }),
    isMore: true,
  },
  'money for a paid invoice, from a row of a statement': {
    method: 'POST',
    path: (_, __, row) => `${row}/match`,
    body: (invoiceId) => ({ invoiceId, acceptOver: true }),
    isMore: true,
  },
  'a part by card': {
    method: 'POST',
    path: () => '/api/payments',
    body: (invoiceId) => ({ ...cardPaymentBody(invoiceId, cards.completes), amount: 700 }),
  },
  'a part from a row of a statement': {
    method: 'POST',
    path: (_, __, row) => `${row}/match`,
    body: (invoiceId) => ({ invoiceId, amount: 700 }),
  },
  'the void of a part': {
    method: 'POST',
    path: (_, paymentId) => `/api/payments/${paymentId}/void`,
    body: () => ({ reason: 'Typed by mistake' }),
  },
  'the void of a payment of a paid invoice': {
    method: 'POST',
    path: (_, paymentId) => `/api/payments/${paymentId}/void`,
    body: () => ({ reason: 'Typed by mistake' }),
    isPaid: true,
  },
  'the cancellation with its refunds': {
    method: 'DELETE',
    path: (invoiceId) => `/api/invoices/${invoiceId}?payments=refund`,
  },
};

/** Prepares the request. `send` makes it each time under the same idempotency key. */
async function begin(operation: Operation) {
  const { method, path, body, isPaid, isMore, paidWithOver: [rowAmount] = [700, 0] } = operation;
  const { id } = (await api.post('/api/invoices', invoiceBody({ acceptPartial: true }))).json;
  const first = { invoiceId: id, method: 'offline', amount: 1000, bank: 'Cash', reference: `1 ${id}` };
  const part = await api.post('/api/payments', first);
  expect(part.status).toBe(201);
  const { row } = await createStatement(api, { reference: `2 ${id}`, amount: rowAmount });
  if (isPaid || isMore)
    expect((await api.post('/api/payments', cardPaymentBody(id, cards.completes))).json.status).toBe(
      'completed',
    );
  const label = `part-${count++}`;
  const send = (headers = {}) =>
    api.send(method, path(id, part.json.id, row), {
      body: body?.(id),
      headers: { 'Idempotency-Key': label, ...headers },
    });
  return { id: id as string, label, send };
}

/** Makes the request without a crash. Returns how many calls it makes. */
async function countCalls(operation: Operation): Promise<number> {
  const { label, send } = await begin(operation);
  expect((await send({ [invocationHeader]: label })).status).toBeLessThan(300);
  return layer.invocation(label)?.operations.length ?? 0;
}

/** Makes the request with a crash at call `at`, and repeats it. Returns undefined if it does not make that many calls. */
async function crash(operation: Operation, at: number, fault: ScriptedFault) {
  const { id, label, send } = await begin(operation);
  crashes.set(label, { at, fault });
  const answer = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (answer) return undefined;
  const repeated = await send();
  expect(repeated.status).toBeLessThan(300);
  expect((await send()).text).toBe(repeated.text);
  return id;
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
  const crashed = (await Promise.all(cases)).flatMap((id) => id ?? []);
  await runUntilQuiescent({ stack, table, clock });
  const { payments } = await expectConsistentMoney(client);
  const isCancelled = operation.method === 'DELETE';
  const isVoided = name === 'the void of a part';
  for (const id of crashed) {
    const own = payments.filter(({ invoiceId, status }) => invoiceId === id && status === 'completed');
    const amounts = own.map(({ amount, amountRefunded }) => [amount, amountRefunded]);
    if (operation.isPaid) {
      expect(own.map(({ amount }) => amount)).toEqual([1000]);
      const paid = (await api.get(`/api/invoices/${id}`)).json;
      expect(paid).toMatchObject({ status: 'paid', amountPaid: 0, amountDue: 0 });
      const open = (await api.get(`/api/invoices/${paid.replacedBy}`)).json;
      expect(open).toMatchObject({ status: 'pending', replaces: id, amountPaid: 1500, amountDue: 1000 });
      const moved = payments.filter(({ invoiceId }) => invoiceId === open.id);
      expect(moved.map(({ amount }) => amount)).toEqual([1500]);
      continue;
    }
    if (operation.isMore) {
      const overs = own.map(({ amount, id: paymentId }) => [amount, paymentId] as const);
      expect(overs.map(([amount]) => amount).sort((one, other) => one - other)).toEqual([700, 1000, 1500]);
      const [, more] = overs.find(([amount]) => amount === 700) ?? [];
      expect((await api.get(`/api/payments/${more}`)).json).toMatchObject({ amountOver: 700 });
      const paid = { status: 'paid', amountPaid: 2500, amountDue: 0, replacedBy: null };
      expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject(paid);
      continue;
    }
    if (operation.paidWithOver) {
      expect(amounts).toEqual([
        [1000, 0],
        [1800, 0],
      ]);
      const more = own.find(({ amount }) => amount === 1800);
      expect((await api.get(`/api/payments/${more?.id}`)).json).toMatchObject({ amountOver: 300 });
      const paid = { status: 'paid', amountPaid: 2500, amountDue: 0 };
      expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject(paid);
      continue;
    }
    if (isVoided) {
      const again = { invoiceId: id, method: 'offline', bank: 'Cash', reference: `1 ${id}` };
      expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({ amountPaid: 0, amountDue: 2500 });
      expect((await api.post('/api/payments', again)).json.amount).toBe(2500);
      continue;
    }
    expect(amounts).toEqual(
      isCancelled
        ? [[1000, 1000]]
        : [
            [1000, 0],
            [700, 0],
          ],
    );
    expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject(
      isCancelled
        ? { status: 'cancelled', amountPaid: 1000, amountDue: 0 }
        : { status: 'pending', amountPaid: 1700, amountDue: 800 },
    );
  }
  if (operation.isPaid) {
    // No crash and no repetition leaves a second invoice behind that replaces the same one.
    const { data } = (await api.get('/api/invoices?status=pending&limit=100')).json;
    const replaced = data.flatMap(({ replaces }: { replaces: string | null }) => replaces ?? []);
    expect(new Set(replaced).size).toBe(replaced.length);
    expect(new Set(replaced).isSupersetOf(new Set(crashed))).toBe(true);
  }
  expect(crashed.length).toBeGreaterThan(2);
  expect(crashed.length).toBeLessThan(cases.length);
});
