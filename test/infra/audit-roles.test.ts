/**
 * Searches the roles for a way to write to the audit log: with the role of each function, tries to put, replace, change and delete
 * entries and the last number of a log.
 */
import { expect, test } from '@jest/globals';
import { grantedFiles, grantOf, statementsOf } from '../../infra/function-policies.ts';
import { Policy } from '../../infra/policies/policy.ts';
import { requestsOf } from '../../infra/policies/table-requests.ts';
import { tableKeys } from '../../shared/store/keys.ts';

const owner = { account: 'acct_0123456789abcdef', mode: 'live' } as const;
const TableName = 'table';
const at = Date.parse('2027-01-31');
const items = (['deployment', owner] as const).flatMap((scope) => [
  tableKeys.auditEntry(scope, at, 'aud_1'),
  tableKeys.auditHead(scope),
]);
const adding = ['functions/background/publish-outbox.ts', 'functions/background/sweep.ts'];

const puts = items.flatMap((Item): [string, object][] => [
  ['PutCommand', { TableName, Item }],
  ['TransactWriteCommand', { TransactItems: [{ Put: { TableName, Item } }] }],
]);
const others = items.flatMap((Key): [string, object][] => {
  const update = { TableName, Key, UpdateExpression: 'SET seal = :seal' };
  return [
    ['BatchWriteCommand', { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } }],
    ['BatchWriteCommand', { RequestItems: { [TableName]: [{ DeleteRequest: { Key } }] } }],
    ['DeleteCommand', { TableName, Key }],
    ['TransactWriteCommand', { TransactItems: [{ Delete: { TableName, Key } }] }],
    ['UpdateCommand', update],
    ['TransactWriteCommand', { TransactItems: [{ Update: update }] }],
  ];
});

function allowedFor(file: (typeof grantedFiles)[number], writes: readonly [string, object][]): string[] {
  const policy = new Policy(statementsOf(file));
  return writes.flatMap(([command, input]) =>
    requestsOf(command, input, TableName)
      .filter((request) => policy.refusalOf(request) === undefined)
      .map(({ action }) => action),
  );
}

test.each(grantedFiles)(
  'the role of %s cannot change or delete an entry, and only the relay adds one',
  (file) => {
    expect(allowedFor(file, others)).toEqual([]);
    expect(allowedFor(file, puts)).toHaveLength(adding.includes(file) ? puts.length : 0);
  },
);

test('only the functions that add entries or verify them read the key of the seals', () => {
  const reading = grantedFiles.filter((file) => grantOf(file).secrets?.includes('audit'));
  expect(reading.toSorted()).toEqual([...adding, 'functions/background/reconcile.ts'].toSorted());
});
