/** Tests invocations that crash or lose their client at a call: what takes effect before and after that call. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import type { ScriptedFault } from '../../support/fault-layer.ts';
import {
  type FaultTestStack,
  itemKey,
  outcomeOfCall,
  startFaultTestStack,
} from '../../support/fault-test-stack.ts';
import { invocationHeader, ProcessCrashed, runAsInvocation } from '../../support/invocations.ts';
import { waitUntil } from '../../support/wait-until.ts';

let faultStack: FaultTestStack;
let account: TestAccount;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
  account = await newAccount(faultStack.stack.baseUrl);
});
beforeEach(() => faultStack.layer.setPlan({ seed: 1 }));
afterAll(() => faultStack.close());

let names = 0;
const newNames = (count: number) => Array.from({ length: count }, () => `crashing-${names++}`);
const writtenOf = (items: readonly string[]) => Promise.all(items.map((name) => faultStack.isWritten(name)));
const planFault = (at: number, fault: ScriptedFault) =>
  faultStack.layer.setPlan({ seed: 1, script: ({ index }) => (index === at ? fault : undefined) });

test.each<[ScriptedFault, boolean]>([
  ['crash before call', false],
  ['crash after call', true],
])('%s: all calls before it take effect, and no later call does', async (fault, isDone) => {
  const items = newNames(4);
  planFault(1, fault);
  const puts = items.map((name) => () => faultStack.put(name));
  expect(await faultStack.invoke('crashes', ...puts)).toEqual({
    outcomes: ['done', 'ProcessCrashed', 'ProcessCrashed', 'ProcessCrashed'],
    faults: [fault],
  });
  expect(await writtenOf(items)).toEqual([true, isDone, false, false]);
});

test('a call in flight during a crash takes effect, but its response does not arrive', async () => {
  const [inFlight = '', last = ''] = newNames(2);
  planFault(1, 'crash before call');
  const arrivedBefore = faultStack.arrived.length;
  const release = faultStack.hold();
  const outcomes = await outcomesOf(async () => {
    const first = outcomeOfCall(faultStack.put(inFlight));
    await waitUntil('the call is in flight', () => faultStack.arrived.length > arrivedBefore);
    const second = await outcomeOfCall(faultStack.put(last));
    release();
    return [await first, second];
  });
  expect(outcomes).toEqual(['ProcessCrashed', 'ProcessCrashed']);
  expect(await writtenOf([inFlight, last])).toEqual([true, false]);
});

test('an invocation crashes at a call whose connection breaks', async () => {
  const script = ({ index }: { index: number }) => (index === 1 ? 'crash after call' : undefined);
  faultStack.layer.setPlan({ seed: 1, responseLost: 1, script });
  const items = newNames(3);
  const puts = items.map((name) => () => faultStack.put(name));
  expect((await faultStack.invoke('breaks', ...puts)).outcomes).toEqual([
    'ECONNRESET',
    'ProcessCrashed',
    'ProcessCrashed',
  ]);
  faultStack.layer.setPlan({ seed: 1 });
  expect(await writtenOf(items)).toEqual([true, true, false]);
});

async function outcomesOf(work: () => Promise<string[]>): Promise<string[]> {
  let outcomes: string[] = [];
  const run = runAsInvocation('crashes', async () => {
    outcomes = await work();
  });
  await expect(run).rejects.toThrow(ProcessCrashed);
  return outcomes;
}

test('a background function that catches its crash has crashed nevertheless', async () => {
  planFault(0, 'crash after call');
  const [name = ''] = newNames(1);
  await expect(runAsInvocation('catches', () => outcomeOfCall(faultStack.put(name)))).rejects.toThrow(
    ProcessCrashed,
  );
});

test('the script gets the invocation, the index and the operation of each attempt', async () => {
  const calls: unknown[] = [];
  faultStack.layer.setPlan({ seed: 1, script: (call) => void calls.push(call) });
  const read = () =>
    faultStack.singleAttemptClient.send(
      new GetCommand({ TableName: faultStack.stack.tableName, Key: itemKey('absent') }),
    );
  await faultStack.invoke('scripted', read, () => faultStack.put('scripted'));
  expect(calls).toEqual([
    { label: 'scripted', index: 0, operation: 'GetItem' },
    { label: 'scripted', index: 1, operation: 'PutItem' },
  ]);
});

/** Runs a hundred invocations of ten calls each with these chances. */
async function runManyWith(chances: { crash?: number; abandoned?: number }) {
  faultStack.layer.setPlan({ seed: 5, ...chances });
  const read = () =>
    faultStack.singleAttemptClient.send(
      new GetCommand({ TableName: faultStack.stack.tableName, Key: itemKey('absent') }),
    );
  const labels = Array.from({ length: 100 }, (_, index) => `many-${index}`);
  return Promise.all(labels.map((label) => faultStack.invoke(label, ...Array(10).fill(read))));
}

test('an invocation crashes at any of its first eight calls, before or after it', async () => {
  const invocations = await runManyWith({ crash: 1 });
  const crashes = invocations.map(({ outcomes, faults }) => {
    expect(faults).toHaveLength(1);
    return `${faults[0]} ${outcomes.indexOf('ProcessCrashed')}`;
  });
  const allCrashes = Array.from({ length: 8 }, (_, at) => [
    `crash after call ${at}`,
    `crash before call ${at}`,
  ]);
  expect([...new Set(crashes)].sort()).toEqual(allCrashes.flat().sort());
});

test('as many invocations crash as the chance says', async () => {
  const crashed = (await runManyWith({ crash: 0.4 })).filter(({ faults }) => faults.length > 0);
  expect(crashed.length).toBeGreaterThan(25);
  expect(crashed.length).toBeLessThan(55);
});

test('an abandoned invocation does all its work', async () => {
  for (const { outcomes, faults } of await runManyWith({ abandoned: 1 })) {
    expect(outcomes).toEqual(Array(10).fill('done'));
    expect(faults).toEqual(['abandoned']);
  }
});

/** Creates an invoice whose transaction meets `fault`. `label` is the request's invocation. */
async function createWith(label: string, fault: ScriptedFault | undefined) {
  const isWrite = (operation: string) => operation === 'TransactWriteItems';
  faultStack.layer.setPlan({ seed: 1, script: ({ operation }) => (isWrite(operation) ? fault : undefined) });
  const headers = { [invocationHeader]: label };
  const outcome = await outcomeOfCall(account.test.post('/api/invoices', invoiceBody(), { headers }));
  await waitUntil('the service has finished the request', () => faultStack.layer.countRunning() === 0);
  faultStack.layer.setPlan({ seed: 1 });
  const { ended, crashed, faults, operations } = faultStack.layer.invocation(label) ?? {};
  const { total } = (await account.test.get('/api/invoices')).json.pagination;
  return { outcome, ended, crashed, faults, wrote: operations?.includes('TransactWriteItems'), total };
}

test('a request is an invocation, and its client loses the connection if it crashes or is abandoned', async () => {
  const request = { ended: true, wrote: true };
  expect(await createWith('succeeds', undefined)).toEqual({
    ...request,
    outcome: 'done',
    crashed: false,
    faults: [],
    total: 1,
  });
  expect(await createWith('crashes before', 'crash before call')).toEqual({
    ...request,
    outcome: 'ECONNRESET',
    crashed: true,
    faults: ['crash before call'],
    total: 1,
  });
  // Its transaction is in the table. Its index entries are missing until the outbox item is relayed.
  expect(await createWith('crashes after', 'crash after call')).toMatchObject({
    ...request,
    outcome: 'ECONNRESET',
    crashed: true,
    faults: ['crash after call'],
  });
  await waitUntil('the invoice is listed', async () => {
    const { pagination } = (await account.test.get('/api/invoices')).json;
    return pagination.total === 2;
  });
  expect(await createWith('is abandoned', 'abandoned')).toEqual({
    ...request,
    outcome: 'ECONNRESET',
    crashed: false,
    faults: ['abandoned'],
    total: 3,
  });
  expect(faultStack.layer.invocation('never sent')).toBeUndefined();
});

test('a request that names no invocation meets no fault', async () => {
  faultStack.layer.setPlan({ seed: 1, requestLost: 1, script: () => 'crash before call' });
  expect((await account.test.get('/api/invoices')).status).toBe(200);
});
