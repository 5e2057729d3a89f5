/**
 * Searches the roles for a way to an API key: with the role of each function that does not manage keys, tries to make, widen
 * and revive a key. Every write of each attribute of a key's own item is tried.
 */
import { expect, test } from '@jest/globals';
import { keyItemAttributeNames } from '../../infra/account-state-access.ts';
import { grantedFiles, statementsOf } from '../../infra/function-policies.ts';
import { Policy } from '../../infra/policies/policy.ts';
import { requestsOf } from '../../infra/policies/table-requests.ts';
import { tableKeys } from '../../shared/store/keys.ts';

const owner = { account: 'acct_0123456789abcdef', mode: 'live' } as const;
const Key = tableKeys.apiKey({ owner, keyHash: 'hash' });
const TableName = 'table';

/** The functions that manage API keys. */
const managing = [
  'functions/keys/create.ts',
  'functions/keys/revoke.ts',
  'functions/keys/roll-over.ts',
  'functions/keys/update.ts',
  'functions/dashboard/keys.ts',
];

/** The writes that would make, widen or revive a key. */
const writes: readonly (readonly [command: string, input: object])[] = [
  ['PutCommand', { TableName, Item: Key }],
  ['PutCommand', { TableName, Item: { ...Key, permissions: ['keys:write'] } }],
  ['BatchWriteCommand', { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } }],
  ['TransactWriteCommand', { TransactItems: [{ Put: { TableName, Item: Key } }] }],
  ['DeleteCommand', { TableName, Key }],
  ...keyItemAttributeNames.flatMap((name): [string, object][] =>
    ['SET #name = :value', 'REMOVE #name'].flatMap((UpdateExpression) => {
      const update = { TableName, Key, UpdateExpression, ExpressionAttributeNames: { '#name': name } };
      return [
        ['UpdateCommand', update],
        ['TransactWriteCommand', { TransactItems: [{ Update: update }] }],
      ];
    }),
  ),
];

const allowedFor = (file: (typeof grantedFiles)[number]) => {
  const policy = new Policy(statementsOf(file));
  return writes.flatMap(([command, input]) =>
    requestsOf(command, input, TableName)
      .filter((request) => policy.refusalOf(request) === undefined)
      .map(({ action }) => action),
  );
};

test.each(grantedFiles.filter((file) => !managing.includes(file)))(
  'the role of %s cannot write what an API key allows',
  (file) => expect(allowedFor(file)).toEqual([]),
);

test('the search finds the functions that manage keys', () => {
  for (const file of grantedFiles.filter((each) => managing.includes(each)))
    expect([file, allowedFor(file).length > 0]).toEqual([file, true]);
});
