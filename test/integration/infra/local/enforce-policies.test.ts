/** Tests that the local stack refuses what the role of a function does not allow. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { statementsOf } from '../../../../infra/function-policies.ts';
import { grants } from '../../../../infra/grants.ts';
import { enforcePolicies } from '../../../../infra/local/enforce-policies.ts';
import { runAsFunction } from '../../../../infra/local/handler.ts';
import type { Stack } from '../../../../infra/local/stack.ts';
import { Policy } from '../../../../infra/policies/policy.ts';
import { requestsOf } from '../../../../infra/policies/table-requests.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { newAccount } from '../../../support/api.ts';
import { startTestStack } from '../../../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});

afterAll(() => stack?.close());

const owner: Owner = { account: 'acct_0123456789abcdef', mode: 'test' };
const getter = 'functions/payments/get.ts';
const payment = tableKeys.record('pay_1');

async function send(file: string, command: object): Promise<unknown> {
  const { dynamodb } = await import('../../../../shared/store/client.ts');
  return runAsFunction(file, () => dynamodb.send(command as never));
}

test('a call that the role allows is made, and so is a call outside of all functions', async () => {
  const TableName = stack.tableName;
  await send(getter, new GetCommand({ TableName, Key: payment }));
  const { dynamodb } = await import('../../../../shared/store/client.ts');
  await dynamodb.send(
    new PutCommand({ TableName, Item: { ...tableKeys.apiKey({ owner, keyHash: 'hash' }), note: 'x' } }),
  );
});

test('a call with another action, item or table is refused', async () => {
  const TableName = stack.tableName;
  const denied = (text: string) => ({
    name: 'AccessDeniedException',
    message: expect.stringContaining(text),
  });
  await expect(send(getter, new PutCommand({ TableName, Item: payment }))).rejects.toMatchObject(
    denied(`The role of ${getter} does not allow dynamodb:PutItem on pay_1.`),
  );
  const members = tableKeys.members(owner.account);
  await expect(send(getter, new GetCommand({ TableName, Key: members }))).rejects.toMatchObject(
    denied('dynamodb:GetItem on MEMBERS#'),
  );
  await expect(send(getter, new GetCommand({ TableName: 'other', Key: payment }))).rejects.toMatchObject(
    denied('dynamodb:GetItem'),
  );
  const RequestItems = { [TableName]: { Keys: [payment] } };
  await expect(send(getter, new BatchGetCommand({ RequestItems }))).rejects.toMatchObject(
    denied('dynamodb:BatchGetItem on pay_1'),
  );
  await expect(send('functions/meta/docs.ts', new GetCommand({ TableName, Key: payment }))).rejects.toThrow(
    'functions/meta/docs.ts',
  );
});

test('a call with another attribute is refused, with its name', async () => {
  const update = new UpdateCommand({
    TableName: stack.tableName,
    Key: tableKeys.accountState(owner),
    UpdateExpression: 'SET #closed = :now',
    ExpressionAttributeNames: { '#closed': 'c' },
    ExpressionAttributeValues: { ':now': 1 },
  });
  await expect(send(getter, update)).rejects.toThrow('with dynamodb:Attributes c');
});

test('a message to another queue, and a secret of other functions, are refused', async () => {
  const { queueClient } = await import('../../../../shared/store/queue-client.ts');
  const { providerSecret } = await import('../../../../shared/platform/secrets/provider-secret.ts');
  const message = new SendMessageCommand({ QueueUrl: stack.queueUrls.webhook.url, MessageBody: '{}' });
  await expect(runAsFunction(getter, () => queueClient.send(message))).rejects.toThrow(
    `The role of ${getter} does not allow sqs:SendMessage on queue webhook.`,
  );
  for (const use of [
    (): Promise<unknown> => providerSecret.content(),
    () => providerSecret.currentKeyOf('x'),
  ])
    await expect(runAsFunction(getter, use)).rejects.toThrow(
      `The role of ${getter} does not allow secretsmanager:GetSecretValue on secret providers.`,
    );
  expect(await providerSecret.content()).toBeDefined();
});

test('a request over HTTP whose function lacks a grant is answered with 500', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const body = { customerId: 'cust_1', amount: 1, currency: 'USD', description: 'x' };
  const { json: created } = await api.post('/api/invoices', body);
  expect((await api.get(`/api/invoices/${created.id}`)).status).toBe(200);
  const table = grants['functions/invoices/get.ts'].table as { invoice?: readonly string[] };
  const { invoice: granted } = table;
  delete table.invoice;
  const stop = await enforcePolicies(stack);
  expect((await api.get(`/api/invoices/${created.id}`)).status).toBe(500);
  stop();
  table.invoice = granted ?? [];
  expect((await api.get(`/api/invoices/${created.id}`)).status).toBe(200);
});

test('a decision takes at most 0.02 ms', () => {
  const policy = new Policy(statementsOf('functions/payments/create.ts'));
  const TableName = stack.tableName;
  const count = {
    TableName,
    Key: tableKeys.accountState(owner),
    UpdateExpression: 'SET #keys.#key.u = :now, #hour = if_not_exists(#hour, :zero) + :requests',
    ConditionExpression: 'attribute_exists(#keys.#key) AND (attribute_not_exists(#hour) OR #hour < #limit)',
    ExpressionAttributeNames: { '#keys': 'k', '#key': 'hash', '#hour': 'h:478123', '#limit': 'l' },
    ReturnValues: 'ALL_NEW',
  };
  const TransactItems = ['inv_1', 'pay_1'].map((id) => ({ Put: { TableName, Item: tableKeys.record(id) } }));
  const calls = [
    ['UpdateCommand', count],
    ['TransactWriteCommand', { TransactItems }],
  ] as const;
  const rounds = 20_000;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++)
    for (const [name, input] of calls)
      for (const request of requestsOf(name, input, TableName))
        if (policy.refusalOf(request)) throw new Error('denied');
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000 / (calls.length * rounds)).toBeLessThan(0.02);
});
