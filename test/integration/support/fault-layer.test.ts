/** Tests the random faults: what each of them leaves in the table, and that only the seed decides them. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { dynamodb } from '../../../shared/store/client.ts';
import { queueClient } from '../../../shared/store/queue-client.ts';
import { writeTransaction } from '../../../shared/store/transactions.ts';
import { type FaultPlan, installFaults } from '../../support/fault-layer.ts';
import {
  type FaultTestStack,
  itemKey,
  outcomeOfCall,
  startFaultTestStack,
} from '../../support/fault-test-stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

let faultStack: FaultTestStack;
let TableName: string;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
  TableName = faultStack.stack.tableName;
});
beforeEach(() => faultStack.layer.setPlan({ seed: 1 }));
afterAll(() => faultStack.close());

let names = 0;
const newName = () => `item-${names++}`;

/** Writes an item under a plan. Returns whether the call arrived at DynamoDB, and whether the item is in the table. */
async function putWith(plan: FaultPlan, label = 'put') {
  const name = newName();
  faultStack.layer.setPlan(plan);
  const before = faultStack.arrived.length;
  const { outcomes, faults } = await faultStack.invoke(label, () => faultStack.put(name));
  const arrived = faultStack.arrived.length > before;
  return { outcome: outcomes[0], faults, arrived, written: await faultStack.isWritten(name) };
}

const increment = (name: string) => ({
  TableName,
  Key: itemKey(name),
  UpdateExpression: 'ADD n :one',
  ExpressionAttributeValues: { ':one': 1 },
});
const countOf = async (name: string) => (await faultStack.table.get(itemKey(name)))?.n;

test('a call meets no fault if the plan has none', async () => {
  expect(await putWith({ seed: 1 })).toEqual({ outcome: 'done', faults: [], arrived: true, written: true });
});

test('a lost request has no effect, and the caller loses the connection', async () => {
  expect(await putWith({ seed: 1, requestLost: 1 })).toEqual({
    outcome: 'ECONNRESET',
    faults: ['request lost'],
    arrived: false,
    written: false,
  });
});

test('a call whose response is lost has an effect, and the caller loses the connection', async () => {
  expect(await putWith({ seed: 1, responseLost: 1 })).toEqual({
    outcome: 'ECONNRESET',
    faults: ['response lost'],
    arrived: true,
    written: true,
  });
});

test('the client retries a write whose response is lost, so the write takes effect again', async () => {
  const name = newName();
  faultStack.layer.setPlan({ seed: 1, responseLost: 1 });
  const incremented = faultStack.invoke('increment', () => dynamodb.send(new UpdateCommand(increment(name))));
  await waitUntil('a response is lost', async () => (await countOf(name)) >= 1);
  faultStack.layer.setPlan({ seed: 1 });
  const { outcomes, faults } = await incremented;
  expect(outcomes).toEqual(['done']);
  expect(await countOf(name)).toBe(faults.length + 1);
});

test('the client retries a transaction whose response is lost with its token, so it takes effect once', async () => {
  const name = newName();
  faultStack.layer.setPlan({ seed: 1, responseLost: 1 });
  const incremented = faultStack.invoke('increment', () => writeTransaction([{ Update: increment(name) }]));
  await waitUntil('a response is lost', async () => (await countOf(name)) >= 1);
  faultStack.layer.setPlan({ seed: 1 });
  const { outcomes, faults } = await incremented;
  expect(outcomes).toEqual(['done']);
  expect(faults).toContain('response lost');
  expect(await countOf(name)).toBe(1);
});

test('a throttled call has no effect', async () => {
  expect(await putWith({ seed: 1, throttled: 1 })).toEqual({
    outcome: 'ProvisionedThroughputExceededException',
    faults: ['throttled'],
    arrived: false,
    written: false,
  });
});

test('a throttled transaction has no effect, in each of the ways in which DynamoDB reports it', async () => {
  const name = newName();
  faultStack.layer.setPlan({ seed: 1, throttled: 1 });
  const before = faultStack.arrived.length;
  const transaction = () => {
    const actions = [{ Update: increment(name) }, { Update: increment(`${name}b`) }];
    return faultStack.singleAttemptClient.send(new TransactWriteCommand({ TransactItems: actions }));
  };
  const seen = new Set<string | undefined>();
  for (let label = 0; label < 30; label++)
    seen.add((await faultStack.invoke(`t${label}`, transaction)).outcomes[0]);
  expect([...seen].sort()).toEqual([
    'ProvisionedThroughputExceeded, None',
    'ProvisionedThroughputExceededException',
    'ThrottlingError, None',
  ]);
  expect(faultStack.arrived).toHaveLength(before);
});

test('a throttled message is not sent', async () => {
  const { url } = faultStack.stack.queueUrls.overdue;
  faultStack.layer.setPlan({ seed: 1, throttled: 1 });
  const before = faultStack.arrived.length;
  const send = () => queueClient.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }));
  expect((await faultStack.invoke('send', send)).outcomes).toEqual(['RequestThrottled']);
  expect(faultStack.arrived).toHaveLength(before);
});

test('some server errors come before the call takes effect, and some after it', async () => {
  const seen = new Map<boolean, number>();
  for (let label = 0; label < 40; label++) {
    const { outcome, faults, arrived, written } = await putWith({ seed: 1, serverError: 1 }, `s${label}`);
    expect({ outcome, faults }).toEqual({ outcome: 'InternalServerError', faults: ['server error'] });
    expect(arrived).toBe(written);
    seen.set(written, (seen.get(written) ?? 0) + 1);
  }
  expect(seen.get(true)).toBeGreaterThan(8);
  expect(seen.get(false)).toBeGreaterThan(8);
});

const mixture: Omit<FaultPlan, 'seed'> = {
  throttled: 0.2,
  requestLost: 0.1,
  responseLost: 0.1,
  serverError: 0.2,
  crash: 0.3,
  abandoned: 0.3,
};

/** Returns what happens to six reads in each of thirty invocations. */
async function runMany(seed: number, concurrently: boolean) {
  faultStack.layer.setPlan({ seed, ...mixture });
  const read = () =>
    faultStack.singleAttemptClient.send(new GetCommand({ TableName, Key: itemKey('absent') }));
  const labels = Array.from({ length: 30 }, (_, index) => `many-${index}`);
  const invoke = (label: string) => faultStack.invoke(label, ...Array(6).fill(read));
  if (concurrently) return Promise.all(labels.map(invoke));
  const results = [];
  for (const label of labels) results.push(await invoke(label));
  return results;
}

test('only the seed, the invocation and the index of the call decide the faults, also with concurrent invocations', async () => {
  const results = await runMany(7, false);
  expect(await runMany(7, false)).toEqual(results);
  expect(await runMany(7, true)).toEqual(results);
  expect(await runMany(8, false)).not.toEqual(results);
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBeGreaterThan(20);
  const kinds = new Set(results.flatMap(({ faults }) => faults));
  expect([...kinds].sort()).toEqual([
    'abandoned',
    'crash after call',
    'crash before call',
    'request lost',
    'response lost',
    'server error',
    'throttled',
  ]);
});

test('a fault happens as often as its chance says, and is counted', async () => {
  const before = faultStack.layer.counts['request lost'] ?? 0;
  faultStack.layer.setPlan({ seed: 3, requestLost: 0.25 });
  const { outcomes } = await faultStack.invoke('often', ...Array(400).fill(() => faultStack.put('often')));
  const lost = outcomes.filter((outcome) => outcome === 'ECONNRESET').length;
  expect(lost).toBeGreaterThan(70);
  expect(lost).toBeLessThan(130);
  expect(faultStack.layer.counts['request lost']).toBe(before + lost);
});

test('calls outside an invocation meet no fault', async () => {
  faultStack.layer.setPlan({
    seed: 1,
    throttled: 1,
    requestLost: 1,
    responseLost: 1,
    serverError: 1,
    crash: 1,
  });
  const name = newName();
  expect(await outcomeOfCall(faultStack.put(name))).toBe('done');
  expect(await faultStack.isWritten(name)).toBe(true);
});

test('a removed layer injects no fault', async () => {
  const other = await installFaults({ seed: 1, requestLost: 1 });
  const put = () => faultStack.put(newName());
  expect((await faultStack.invoke('with the layer', put)).outcomes).toEqual(['ECONNRESET']);
  other.remove();
  expect((await faultStack.invoke('without the layer', put)).outcomes).toEqual(['done']);
});
