/**
 * Tests that a row that went out and a refund are matched with each other or not at all when a person matches them, a person ignores the
 * row again, or the worker matches them, and the process crashes at any call. The client repeats its request under its idempotency key.
 */
import { expect, test } from '@jest/globals';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import { invoiceBody } from '../support/api.ts';
import { api, client, clock, crashes, layer, stack, table } from '../support/crash-test-file.ts';
import { invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { statementBody } from '../support/statements.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Beside each other, the requests make a few more calls than alone, and the last crash points are after the last call. */
const moreCalls = 4;
const amount = 700;
const worker = 'functions/background/settle-payment.ts';
let count = 0;

/** A refund, and two rows that can be its money. */
interface RefundWithRows {
  readonly refundId: string;
  readonly label: string;
  readonly path: string;
  readonly rows: readonly { readonly id: string }[];
}

/** Makes a refund of a part of a payment, and a statement with two rows of its amount. @param isNamed the rows name the refund */
async function begin(isNamed: boolean): Promise<RefundWithRows> {
  const label = `refund-row-${count++}`;
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody())).json;
  const payment = { invoiceId, method: 'offline', bank: 'Cash', reference: label };
  const { id: paymentId } = (await api.post('/api/payments', payment)).json;
  const { id: refundId } = (await api.post('/api/refunds', { paymentId, amount })).json;
  const text = isNamed ? `PAID BACK ${refundId}` : 'PAID BACK';
  const rows = ['A', 'B'].map((each) => ({
    ...statementBody({ amount: -amount, text }).rows[0],
    reference: `${label} ${each}`,
  }));
  const { json: statement } = await api.post('/api/statements', { ...statementBody(), rows });
  const path = `/api/statements/${statement.id}`;
  return { refundId, label, path, rows: (await api.get(`${path}/rows`)).json.data };
}

type Send = (headers?: object) => ReturnType<typeof api.post>;
const requests: Readonly<Record<string, (made: RefundWithRows) => Promise<Send>>> = {
  'a match': async ({ refundId, label, path, rows }) => {
    const to = `${path}/rows/${rows[0]?.id}/match`;
    return (headers = {}) =>
      api.post(to, { refundId }, { headers: { 'Idempotency-Key': label, ...headers } });
  },
  'the ignoring of a matched row': async ({ refundId, label, path, rows }) => {
    const row = `${path}/rows/${rows[0]?.id}`;
    expect((await api.post(`${row}/match`, { refundId })).status).toBe(201);
    return (headers = {}) =>
      api.post(`${row}/ignore`, undefined, { headers: { 'Idempotency-Key': label, ...headers } });
  },
};

/** Expects that a refund and its rows name each other, and that no second row names the refund. Returns the places of its rows. */
async function matchedRowsOf({ refundId, path }: RefundWithRows): Promise<number[]> {
  const refund = (await api.get(`/api/refunds/${refundId}`)).json;
  const { data } = (await api.get(`${path}/rows`)).json;
  const matched = data.filter(({ refund: shown }: { refund: object | null }) => shown);
  expect(matched.map(({ id }: { id: string }) => id)).toEqual(
    refund.statementRow ? [refund.statementRow] : [],
  );
  for (const row of matched)
    expect(row).toMatchObject({ status: 'matched', amountMatched: amount, refund: { refundId } });
  expect(refund).toMatchObject({ status: 'processed', amount });
  return matched.map((row: { id: string }) => data.indexOf(row));
}

/** Makes the request with a crash at call `at`, and repeats it. Returns undefined if it does not make that many calls. */
async function crash(request: (made: RefundWithRows) => Promise<Send>, at: number, fault: ScriptedFault) {
  const made = await begin(false);
  const send = await request(made);
  crashes.set(made.label, { at, fault });
  const answer = await send({ [invocationHeader]: made.label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(made.label)?.ended);
  if (answer) return undefined;
  // Another person decides otherwise meanwhile.
  const other = `${made.path}/rows/${made.rows[1]?.id}/match`;
  const [repeated] = await Promise.all([
    send(),
    at % 2 === 1 && api.post(other, { refundId: made.refundId }),
  ]);
  expect((await send()).text).toBe(repeated.text);
  return { made, status: repeated.status, isAlone: at % 2 === 0 };
}

test.each(Object.keys(requests))('%s has one effect after a crash at any call', async (name) => {
  const request = requests[name] as (made: RefundWithRows) => Promise<Send>;
  await stack.stream.pause();
  await stack.queues.pause();
  const first = await begin(false);
  const send = await request(first);
  expect((await send({ [invocationHeader]: first.label })).status).toBeLessThan(300);
  const calls = (layer.invocation(first.label)?.operations.length ?? 0) + moreCalls;
  const cases = Array.from({ length: calls }, (_, at) => [
    crash(request, at, 'crash before call'),
    crash(request, at, 'crash after call'),
  ]).flat();
  const crashed = (await Promise.all(cases)).flatMap((each) => each ?? []);
  await runUntilQuiescent({ stack, table, clock });
  await expectConsistentMoney(client);
  const isMatch = name === 'a match';
  for (const { made, status, isAlone } of crashed) {
    const matched = await matchedRowsOf(made);
    if (isAlone) expect([status, matched]).toEqual(isMatch ? [201, [0]] : [200, []]);
    else if (isMatch) expect(matched).toEqual([status === 201 ? 0 : 1]);
    else expect([status, matched.includes(0)]).toEqual([200, false]);
  }
  expect(crashed.length).toBeGreaterThan(2);
  expect(crashed.length).toBeLessThan(cases.length);
});

/** The worker makes fewer calls. */
const mostCalls = 20;

/** Runs the worker with a crash at call `at`, and in half of the cases beside it one without. */
async function crashWorker(at: number, fault: ScriptedFault) {
  const made = await begin(true);
  crashes.set(made.label, { at, fault });
  const event = toQueueEvent({
    ...{ reference: made.path.split('/').at(-1), kind: 'payment' },
    ...{ due: 1, minute: 1 },
  });
  const [hasCrashed] = await Promise.all([
    invokeWorker(made.label, worker, event),
    ...(at % 2 === 1 ? [invokeWorker(`beside ${made.label}`, worker, event)] : []),
  ]);
  return { made, hasCrashed };
}

test('of two rows that name a refund, one is it after a crash of the worker at any call', async () => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crashWorker(at, 'crash before call'),
    crashWorker(at, 'crash after call'),
  ]).flat();
  const crashed = await Promise.all(cases);
  await runUntilQuiescent({ stack, table, clock });
  await expectConsistentMoney(client);
  for (const { made } of crashed) {
    expect(await matchedRowsOf(made)).toHaveLength(1);
    expect((await api.get(made.path)).json.status).toBe('ready');
  }
  // The last worker had no call left at which it could crash.
  expect([crashed[0]?.hasCrashed, crashed.at(-1)?.hasCrashed]).toEqual([true, false]);
});
