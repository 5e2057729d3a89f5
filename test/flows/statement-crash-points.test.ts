/**
 * Tests that a row of a bank statement pays its invoice once when the worker crashes at any call, also if two workers have the same
 * statement. Takes 20 seconds.
 */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { createStatement } from '../contract/examples.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { type Api, invoiceBody } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestTable } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let client: AccountUnderTest;
let api: Api;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, crashes } = crashStack);
});
beforeEach(async () => {
  client = await crashStack.newClient();
  api = inNewestVersion(client.api);
});
afterAll(() => crashStack.close());

/** The worker makes fewer calls. */
const mostCalls = 20;
const worker = 'functions/background/settle-payment.ts';

/** Stores a statement whose row names an invoice. Runs the worker with a crash at call `at`, and beside it one without. */
async function crash(at: number, fault: ScriptedFault) {
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  const text = String((await table.get(tableKeys.record(id)))?.paymentReference);
  const { path, row } = await createStatement(api, { text });
  const label = `statement-${at}-${fault}`;
  crashes.set(label, { at, fault });
  const event = toQueueEvent({ reference: path.split('/').at(-1), kind: 'payment', due: 1, minute: 1 });
  const runs = [invokeWorker(label, worker, event)];
  if (at % 2 === 1) runs.push(invokeWorker(`beside ${label}`, worker, event));
  await Promise.all(runs);
  return { id: id as string, row: row.split('/').at(-1) ?? '', path };
}

exhaustiveTest('a row pays its invoice once after a crash of the worker at any call', async () => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crash(at, 'crash before call'),
    crash(at, 'crash after call'),
  ]).flat();
  const crashed = await Promise.all(cases);
  await runUntilQuiescent({ stack, table, clock });
  const { payments } = await expectConsistentMoney(client);
  for (const { id, row, path } of crashed) {
    const own = payments.filter(({ invoiceId }) => invoiceId === id);
    expect(own).toMatchObject([{ status: 'completed', amount: 2500 }]);
    expect((await api.get(`/api/payments/${own[0]?.id}`)).json.statementRow).toBe(row);
    expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({ status: 'paid', amountPaid: 2500 });
    expect((await api.get(path)).json.status).toBe('ready');
    const [listed] = (await api.get(`${path}/rows`)).json.data;
    expect(listed).toMatchObject({ status: 'matched', payments: [{ paymentId: own[0]?.id }] });
  }
});
