import { expect, test } from '@jest/globals';
import { type AccessRequest, requestsOf } from '../../../../infra/policies/table-requests.ts';

const TableName = 'own';
const shown = ({ attributes, ...others }: AccessRequest) => ({
  ...others,
  attributes: [...(attributes?.() ?? [])].sort(),
});
const of = (command: string, input: object) => requestsOf(command, input, TableName).map(shown);
const one = (command: string, input: object) => of(command, { TableName, ...input })[0];

const Key = { pk: 'A#1', sk: 'B' };

test('a read by key: the attributes of its projection, and those of the key', () => {
  expect(one('GetCommand', { Key })).toEqual({
    action: 'dynamodb:GetItem',
    resource: 'table',
    leadingKeys: ['A#1'],
    attributes: ['pk', 'sk'],
    select: 'ALL_ATTRIBUTES',
    returnValues: undefined,
  });
  const projection = {
    ProjectionExpression: '#hour, name, #keys.#key.u, list[0].pk',
    ExpressionAttributeNames: { '#hour': 'h478123', '#keys': 'k', '#key': 'hash' },
  };
  expect(one('GetItemCommand', { Key, ...projection })).toMatchObject({
    attributes: ['h478123', 'k', 'list', 'name', 'pk', 'sk'],
    select: 'SPECIFIC_ATTRIBUTES',
  });
});

test('a query: its partition key, and the attributes of all of its expressions', () => {
  const query = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    FilterExpression: 'attribute_not_exists(#end) OR #end > :now',
    ExpressionAttributeNames: { '#end': 'expiresAt' },
    ExpressionAttributeValues: { ':pk': 'A#1', ':prefix': 'B', ':now': 1 },
  };
  expect(one('QueryCommand', query)).toMatchObject({
    action: 'dynamodb:Query',
    leadingKeys: ['A#1'],
    attributes: ['expiresAt', 'pk', 'sk'],
    select: 'ALL_ATTRIBUTES',
  });
  expect(one('QueryCommand', { ...query, Select: 'COUNT' })).toMatchObject({ select: 'COUNT' });
  const renamed = {
    KeyConditionExpression: '#p = :p',
    ExpressionAttributeNames: { '#p': 'pk' },
    ExpressionAttributeValues: { ':p': { S: 'A#2' } },
  };
  expect(one('QueryCommand', renamed)).toMatchObject({ leadingKeys: ['A#2'] });
});

test('a scan has no partition key', () => {
  expect(one('ScanCommand', {})).toMatchObject({ action: 'dynamodb:Scan', leadingKeys: undefined });
});

test('a put: the attributes of the item that have a value, and of the condition', () => {
  const Item = { ...Key, name: 'x', note: undefined };
  const condition = { ConditionExpression: 'attribute_not_exists(pk) AND size(seen) < :most' };
  expect(one('PutCommand', { Item, ...condition })).toMatchObject({
    action: 'dynamodb:PutItem',
    leadingKeys: ['A#1'],
    attributes: ['name', 'pk', 'seen', 'sk'],
    returnValues: 'NONE',
  });
});

test('an update: the attributes of update and condition, without functions, keywords, values and nested names', () => {
  const update = {
    UpdateExpression:
      'SET #k.#key.u = :now, #h = if_not_exists(#h, :zero) + :one, a = list_append(b, :c) REMOVE d, e[1] ADD f :one DELETE g :one',
    ConditionExpression:
      'attribute_exists(#k.#key) AND (contains(#k . #key, :a0) OR NOT i IN (:a0, :now)) AND j BETWEEN :zero AND :one',
    ExpressionAttributeNames: { '#k': 'k', '#key': 'nested', '#h': 'h1' },
    ReturnValues: 'ALL_NEW',
  };
  expect(one('UpdateCommand', { Key, ...update })).toMatchObject({
    action: 'dynamodb:UpdateItem',
    attributes: ['a', 'b', 'd', 'e', 'f', 'g', 'h1', 'i', 'j', 'k', 'pk', 'sk'],
    returnValues: 'ALL_NEW',
    select: undefined,
  });
});

test('a transaction: one request for each action, each with its own items and attributes', () => {
  const TransactItems = [
    { Put: { TableName, Item: { ...Key, name: 'x' } } },
    {
      Update: {
        TableName,
        Key: { pk: 'B#1', sk: 'C' },
        UpdateExpression: 'SET #n = :n',
        ExpressionAttributeNames: { '#n': 'note' },
      },
    },
    { ConditionCheck: { TableName, Key: { pk: 'C#1', sk: 'D' }, ConditionExpression: 'version = :v' } },
    { Delete: { TableName: 'other', Key: { pk: 'D#1', sk: 'E' } } },
  ];
  expect(of('TransactWriteCommand', { TransactItems })).toMatchObject([
    { action: 'dynamodb:PutItem', resource: 'table', leadingKeys: ['A#1'], attributes: ['name', 'pk', 'sk'] },
    { action: 'dynamodb:UpdateItem', leadingKeys: ['B#1'], attributes: ['note', 'pk', 'sk'] },
    { action: 'dynamodb:ConditionCheckItem', leadingKeys: ['C#1'], attributes: ['pk', 'sk', 'version'] },
    { action: 'dynamodb:DeleteItem', resource: 'table other', leadingKeys: ['D#1'] },
  ]);
  expect(of('TransactGetItemsCommand', { TransactItems: [{ Get: { TableName, Key } }] })).toMatchObject([
    { action: 'dynamodb:GetItem', leadingKeys: ['A#1'], select: 'ALL_ATTRIBUTES' },
  ]);
});

test('a batch: one request with all of its keys', () => {
  const Keys = [Key, { pk: { S: 'B#1' }, sk: { S: 'C' } }];
  expect(of('BatchGetCommand', { RequestItems: { own: { Keys, ProjectionExpression: 'a' } } })).toMatchObject(
    [
      {
        action: 'dynamodb:BatchGetItem',
        resource: 'table',
        leadingKeys: ['A#1', 'B#1'],
        attributes: ['a', 'pk', 'sk'],
        select: 'SPECIFIC_ATTRIBUTES',
      },
    ],
  );
  const own = [
    { PutRequest: { Item: { ...Key, name: 'x' } } },
    { DeleteRequest: { Key: { pk: 'B#1', sk: 'C' } } },
  ];
  expect(of('BatchWriteItemCommand', { RequestItems: { own } })).toMatchObject([
    { action: 'dynamodb:BatchWriteItem', leadingKeys: ['A#1', 'B#1'], attributes: ['name', 'pk', 'sk'] },
  ]);
});

test('a command that is not known is an error', () => {
  expect(() => requestsOf('ExecuteStatementCommand', {}, TableName)).toThrow('ExecuteStatementCommand');
});
