import { expect, test } from '@jest/globals';
import { type Conditions, Policy, type Statement } from '../../../../infra/policies/policy.ts';
import type { AccessRequest } from '../../../../infra/policies/table-requests.ts';

const items = (...patterns: string[]) => ({ 'dynamodb:LeadingKeys': patterns });
const allow = (action: string, conditions?: Conditions): Statement => ({
  action: `dynamodb:${action}`,
  resource: 'table',
  conditions,
});
const named = (action: string, patterns: readonly string[], attributes: readonly string[]) =>
  allow(action, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns, 'dynamodb:Attributes': attributes },
  });
const asks = (
  action: string,
  leadingKeys: string[] | undefined,
  attributes: string[] = ['pk', 'sk'],
  others: Partial<AccessRequest> = {},
): AccessRequest => ({
  action: `dynamodb:${action}`,
  resource: 'table',
  leadingKeys,
  attributes: () => attributes,
  ...others,
});
const refusal = (statements: readonly Statement[], request: AccessRequest) =>
  new Policy(statements).refusalOf(request);

test('nothing is allowed without a statement of the action and the resource', () => {
  expect(refusal([], asks('GetItem', ['A#1']))).toBe('dynamodb:GetItem on A#1');
  expect(refusal([allow('PutItem')], asks('GetItem', ['A#1']))).toBe('dynamodb:GetItem on A#1');
  expect(refusal([allow('GetItem')], asks('GetItem', ['A#1'], [], { resource: 'table other' }))).toBe(
    'dynamodb:GetItem on A#1',
  );
  expect(refusal([], { action: 'sqs:SendMessage', resource: 'queue webhook' })).toBe(
    'sqs:SendMessage on queue webhook',
  );
});

test('a statement without conditions allows each item and attribute', () => {
  expect(refusal([allow('GetItem')], asks('GetItem', ['A#1'], ['anything']))).toBeUndefined();
});

test('a denied attribute is named', () => {
  const statements = [named('PutItem', ['A#*'], ['pk', 'sk', 'name'])];
  expect(refusal(statements, asks('PutItem', ['A#1'], ['pk', 'sk', 'name']))).toBeUndefined();
  expect(refusal(statements, asks('PutItem', ['A#1'], ['pk', 'sk', 'name', 'note', 'hash']))).toBe(
    'dynamodb:PutItem on A#1 with dynamodb:Attributes note, hash',
  );
});

test('two statements never allow one request together', () => {
  const statements = [
    named('GetItem', ['A#*'], ['pk', 'sk', 't']),
    named('GetItem', ['A#*'], ['pk', 'sk', 'l', 'i']),
  ];
  expect(refusal(statements, asks('GetItem', ['A#1'], ['pk', 'sk', 't']))).toBeUndefined();
  expect(refusal(statements, asks('GetItem', ['A#1'], ['pk', 'sk', 'l', 'i', 't']))).toBe(
    'dynamodb:GetItem on A#1 with dynamodb:Attributes t. One statement must allow the whole request',
  );
});

test('a pattern that matches too much allows too much', () => {
  const hours = [named('UpdateItem', ['A#*'], ['pk', 'sk', 'h*'])];
  expect(refusal(hours, asks('UpdateItem', ['A#1'], ['h478123']))).toBeUndefined();
  expect(refusal(hours, asks('UpdateItem', ['A#1'], ['hash']))).toBeUndefined();
  const exact = [allow('UpdateItem', { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['h*'] } })];
  expect(refusal(exact, asks('UpdateItem', ['A#1'], ['hash']))).toContain('hash');
  const eight = [allow('GetItem', { 'ForAllValues:StringLike': items(`A#${'?'.repeat(8)}`) })];
  expect(refusal(eight, asks('GetItem', ['A#12345678']))).toBeUndefined();
  expect(refusal(eight, asks('GetItem', ['A#12345678#test']))).toBeDefined();
  const middle = [allow('GetItem', { 'ForAllValues:StringLike': items('A#*#.x') })];
  expect(refusal(middle, asks('GetItem', ['A#1#2#.x']))).toBeUndefined();
  expect(refusal(middle, asks('GetItem', ['A#1#2#yx']))).toBeDefined();
});

test('a batch needs one statement for all of its keys', () => {
  const apart = ['A#*', 'B#*'].map((pattern) =>
    allow('BatchGetItem', { 'ForAllValues:StringLike': items(pattern) }),
  );
  expect(refusal(apart, asks('BatchGetItem', ['A#1', 'A#2']))).toBeUndefined();
  expect(refusal(apart, asks('BatchGetItem', ['A#1', 'B#1']))).toBe('dynamodb:BatchGetItem on A#1, B#1');
  expect(refusal([], asks('BatchGetItem', ['A#1', 'A#2', 'A#3', 'A#4', 'A#5']))).toBe(
    'dynamodb:BatchGetItem on A#1, A#2, A#3 and 2 others',
  );
  const together = [allow('BatchGetItem', { 'ForAllValues:StringLike': items('A#*', 'B#*') })];
  expect(refusal(together, asks('BatchGetItem', ['A#1', 'B#1', 'A#2']))).toBeUndefined();
  expect(refusal(together, asks('BatchGetItem', ['A#1', 'C#1', 'A#2']))).toBeDefined();
});

test('a request without a key of the condition: ForAllValues and IfExists hold, others do not', () => {
  const without = asks('Scan', undefined, []);
  const on = (conditions: Conditions) => refusal([allow('Scan', conditions)], without);
  expect(
    on({ 'ForAllValues:StringLike': { ...items('A#*'), 'dynamodb:Attributes': ['pk'] } }),
  ).toBeUndefined();
  expect(on({ StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' } })).toBeUndefined();
  expect(on({ StringEquals: { 'dynamodb:ReturnValues': 'NONE' } })).toBe(
    'dynamodb:Scan on table with dynamodb:ReturnValues (missing)',
  );
  expect(on({ Null: { 'dynamodb:Attributes': 'false' } })).toContain('dynamodb:Attributes');
});

test('Select and ReturnValues', () => {
  const reads = [allow('GetItem', { StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' } })];
  const read = (select: string) => refusal(reads, asks('GetItem', ['A#1'], [], { select }));
  expect(read('SPECIFIC_ATTRIBUTES')).toBeUndefined();
  expect(read('ALL_ATTRIBUTES')).toBe('dynamodb:GetItem on A#1 with dynamodb:Select ALL_ATTRIBUTES');
  const writes = [allow('UpdateItem', { StringEquals: { 'dynamodb:ReturnValues': 'UPDATED_NEW' } })];
  const write = (returnValues: string) => refusal(writes, asks('UpdateItem', ['A#1'], [], { returnValues }));
  expect(write('UPDATED_NEW')).toBeUndefined();
  expect(write('ALL_NEW')).toBe('dynamodb:UpdateItem on A#1 with dynamodb:ReturnValues ALL_NEW');
  expect(write('NONE')).toBeDefined();
});

test.each<[string, Statement]>([
  ['an action with a wildcard', allow('*')],
  ['another operator', allow('GetItem', { StringNotEquals: { 'dynamodb:Select': 'COUNT' } })],
  ['another key', allow('GetItem', { StringEquals: { 'dynamodb:EnclosingOperation': 'TransactGetItems' } })],
  ['attributes without ForAllValues', allow('GetItem', { StringLike: { 'dynamodb:Attributes': 'pk' } })],
  [
    'ForAllValues of one value',
    allow('GetItem', { 'ForAllValues:StringEquals': { 'dynamodb:Select': 'COUNT' } }),
  ],
  ['Null of a missing key', allow('GetItem', { Null: { 'dynamodb:Attributes': 'true' } })],
])('a policy with %s is an error, so nothing is ignored', (_, statement) => {
  expect(() => new Policy([statement])).toThrow();
});
