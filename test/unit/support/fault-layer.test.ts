/** The faults that come by chance: what each of them leaves in the table, and that the seed alone decides on them. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { dynamodb } from '../../../shared/store/client.ts';
import { writeTransaction } from '../../../shared/store/transactions.ts';
import { type FaultPlan, installFaults } from '../../support/fault-layer.ts';
import { endingOf, type FaultStand, keyOf, startFaultStand } from '../../support/fault-stand.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stand: FaultStand;
let TableName: string;

beforeAll(async () => {
  stand = await startFaultStand();
  TableName = stand.stack.tableName;
});
beforeEach(() => stand.layer.setPlan({ seed: 1 }));
afterAll(() => stand.close());

let names = 0;
const newName = () => `item-${names++}`;

/** One write under a plan, with whether it came to DynamoDB and is in the table. */
async function putUnder(plan: FaultPlan, label = 'put') {
  const name = newName();
  stand.layer.setPlan(plan);
  const before = stand.arrived.length;
  const { endings, faults } = await stand.invoke(label, () => stand.put(name));
  const arrived = stand.arrived.length > before;
  return { ending: endings[0], faults, arrived, written: await stand.isWritten(name) };
}

const raise = (name: string) => ({
  ...{ TableName, Key: keyOf(name), UpdateExpression: 'ADD n :one' },
  ExpressionAttributeValues: { ':one': 1 },
});
const raisedTo = async (name: string) => (await stand.table.get(keyOf(name)))?.n;

test('without a fault in its plan a call is as it is', async () => {
  expect(await putUnder({ seed: 1 })).toEqual({ ending: 'done', faults: [], arrived: true, written: true });
});

test('a lost request has no effect, and its caller loses the connection', async () => {
  expect(await putUnder({ seed: 1, requestLost: 1 })).toEqual({
    ...{ ending: 'ECONNRESET', faults: ['request lost'], arrived: false, written: false },
  });
});

test('a lost answer has its effect, and its caller loses the connection', async () => {
  expect(await putUnder({ seed: 1, answerLost: 1 })).toEqual({
    ...{ ending: 'ECONNRESET', faults: ['answer lost'], arrived: true, written: true },
  });
});

test('a write whose answer is lost is repeated by the client, and so has its effect again', async () => {
  const name = newName();
  stand.layer.setPlan({ seed: 1, answerLost: 1 });
  const raised = stand.invoke('raise', () => dynamodb.send(new UpdateCommand(raise(name))));
  await waitUntil('an answer is lost', async () => (await raisedTo(name)) >= 1);
  stand.layer.setPlan({ seed: 1 });
  const { endings, faults } = await raised;
  expect(endings).toEqual(['done']);
  expect(await raisedTo(name)).toBe(faults.length + 1);
});

test('a transaction whose answer is lost is repeated under its token, and so has its effect once', async () => {
  const name = newName();
  stand.layer.setPlan({ seed: 1, answerLost: 1 });
  const raised = stand.invoke('raise', () => writeTransaction([{ Update: raise(name) }]));
  await waitUntil('an answer is lost', async () => (await raisedTo(name)) >= 1);
  stand.layer.setPlan({ seed: 1 });
  const { endings, faults } = await raised;
  expect(endings).toEqual(['done']);
  expect(faults).toContain('answer lost');
  expect(await raisedTo(name)).toBe(1);
});

test('a throttled call has no effect', async () => {
  expect(await putUnder({ seed: 1, throttled: 1 })).toEqual({
    ending: 'ProvisionedThroughputExceededException',
    ...{ faults: ['throttled'], arrived: false, written: false },
  });
});

test('a transaction is throttled in each of the ways in which DynamoDB reports it, without effect', async () => {
  const name = newName();
  stand.layer.setPlan({ seed: 1, throttled: 1 });
  const before = stand.arrived.length;
  const transaction = () => {
    const actions = [{ Update: raise(name) }, { Update: raise(`${name}b`) }];
    return stand.once.send(new TransactWriteCommand({ TransactItems: actions }));
  };
  const seen = new Set<string | undefined>();
  for (let label = 0; label < 30; label++)
    seen.add((await stand.invoke(`t${label}`, transaction)).endings[0]);
  expect([...seen].sort()).toEqual([
    'ProvisionedThroughputExceeded, None',
    'ProvisionedThroughputExceededException',
    'ThrottlingError, None',
  ]);
  expect(stand.arrived).toHaveLength(before);
});

test('a throttled message is not sent', async () => {
  const sqs = new SQSClient({ endpoint: stand.stack.sqsEndpoint, region: 'us-east-1', maxAttempts: 1 });
  const { url } = stand.stack.queueUrls.overdue;
  stand.layer.setPlan({ seed: 1, throttled: 1 });
  const before = stand.arrived.length;
  const send = () => sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }));
  expect((await stand.invoke('send', send)).endings).toEqual(['RequestThrottled']);
  expect(stand.arrived).toHaveLength(before);
  sqs.destroy();
});

test('of server errors some come before the deed and some after it', async () => {
  const seen = new Map<boolean, number>();
  for (let label = 0; label < 40; label++) {
    const { ending, faults, arrived, written } = await putUnder({ seed: 1, serverError: 1 }, `s${label}`);
    expect({ ending, faults }).toEqual({ ending: 'InternalServerError', faults: ['server error'] });
    expect(arrived).toBe(written);
    seen.set(written, (seen.get(written) ?? 0) + 1);
  }
  expect(seen.get(true)).toBeGreaterThan(8);
  expect(seen.get(false)).toBeGreaterThan(8);
});

const mixture: Omit<FaultPlan, 'seed'> = {
  ...{ throttled: 0.2, requestLost: 0.1, answerLost: 0.1, serverError: 0.2, death: 0.3, abandoned: 0.3 },
};

/** What happens to six reads in each of thirty invocations. */
async function fateOfMany(seed: number, atOnce: boolean) {
  stand.layer.setPlan({ seed, ...mixture });
  const read = () => stand.once.send(new GetCommand({ TableName, Key: keyOf('absent') }));
  const labels = Array.from({ length: 30 }, (_, index) => `many-${index}`);
  const invoke = (label: string) => stand.invoke(label, ...Array(6).fill(read));
  if (atOnce) return Promise.all(labels.map(invoke));
  const fates = [];
  for (const label of labels) fates.push(await invoke(label));
  return fates;
}

test('the seed, the invocation and the place in it decide alone, however many run at once', async () => {
  const fates = await fateOfMany(7, false);
  expect(await fateOfMany(7, false)).toEqual(fates);
  expect(await fateOfMany(7, true)).toEqual(fates);
  expect(await fateOfMany(8, false)).not.toEqual(fates);
  expect(new Set(fates.map((fate) => JSON.stringify(fate))).size).toBeGreaterThan(20);
  const kinds = new Set(fates.flatMap(({ faults }) => faults));
  expect([...kinds].sort()).toEqual([
    ...['abandoned', 'answer lost', 'dies after', 'dies before'],
    ...['request lost', 'server error', 'throttled'],
  ]);
});

test('a fault comes as often as its chance says, and is counted', async () => {
  const before = stand.layer.counts['request lost'] ?? 0;
  stand.layer.setPlan({ seed: 3, requestLost: 0.25 });
  const { endings } = await stand.invoke('often', ...Array(400).fill(() => stand.put('often')));
  const lost = endings.filter((ending) => ending === 'ECONNRESET').length;
  expect(lost).toBeGreaterThan(70);
  expect(lost).toBeLessThan(130);
  expect(stand.layer.counts['request lost']).toBe(before + lost);
});

test('calls of nobody in particular pass, whatever the plan is', async () => {
  stand.layer.setPlan({ seed: 1, throttled: 1, requestLost: 1, answerLost: 1, serverError: 1, death: 1 });
  const name = newName();
  expect(await endingOf(stand.put(name))).toBe('done');
  expect(await stand.isWritten(name)).toBe(true);
});

test('a layer that is removed does nothing any more', async () => {
  const other = await installFaults({ seed: 1, requestLost: 1 });
  const put = () => stand.put(newName());
  expect((await stand.invoke('under it', put)).endings).toEqual(['ECONNRESET']);
  other.remove();
  expect((await stand.invoke('without it', put)).endings).toEqual(['done']);
});
