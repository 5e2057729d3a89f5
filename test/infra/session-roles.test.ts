/**
 * Searches the roles for a way to a session or to the rights of an owner: with the role of each function, tries every write of each
 * kind of item that decides who may use the dashboard. `test/dashboard/session-attacks.test.ts` tries what a role allows.
 */
import { expect, test } from '@jest/globals';
import { type GrantedFile, grantedFiles, grantOf, statementsOf } from '../../infra/function-policies.ts';
import { Policy } from '../../infra/policies/policy.ts';
import { requestsOf } from '../../infra/policies/table-requests.ts';
import { randomAccountId } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';

const TableName = 'table';
const items = {
  session: tableKeys.session('hash'),
  userSession: tableKeys.userSession('usr_1', 'hash'),
  members: tableKeys.members(randomAccountId()),
  membersOfSandbox: tableKeys.members(randomAccountId('sandbox')),
  signingKey: tableKeys.signingKey('id'),
};
type Kind = keyof typeof items;

/** The attributes of sessions, members and public keys, and one that none has. */
const attributes = [
  'user',
  'issuer',
  'subject',
  'email',
  'isEmailVerified',
  'hash',
  'startedAt',
  'endsAt',
  'authenticatedAt',
  'usedAt',
  'browser',
  'expiresAt',
  'version',
  'members',
  'invitations',
  'signature',
  'publicKey',
  'other',
];

/** Returns the writes that would make or change an item. A deletion makes nothing. */
function writesOf(kind: Kind): [name: string, command: string, input: object][] {
  const Key = items[kind];
  const update = (name: string) => ({
    TableName,
    Key,
    UpdateExpression: 'SET #name = :value',
    ExpressionAttributeNames: { '#name': name },
  });
  return [
    ['put', 'PutCommand', { TableName, Item: Key }],
    ['put', 'TransactWriteCommand', { TransactItems: [{ Put: { TableName, Item: Key } }] }],
    ['put', 'BatchWriteCommand', { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } }],
    ...attributes.flatMap((name): [string, string, object][] => [
      [name, 'UpdateCommand', update(name)],
      [name, 'TransactWriteCommand', { TransactItems: [{ Update: update(name) }] }],
    ]),
  ];
}

/** Returns what the role may write: `put`, or the attributes that it may update. */
function allowedFor(file: GrantedFile, kind: Kind): string[] {
  const policy = new Policy(statementsOf(file));
  const allowed = writesOf(kind).filter(([, command, input]) =>
    requestsOf(command, input, TableName).every((request) => policy.refusalOf(request) === undefined),
  );
  return [...new Set(allowed.map(([name]) => name))];
}

const signIn = 'functions/dashboard/sign-in.ts';
const members = 'functions/dashboard/members.ts';
const filesThatPut = (kind: Kind) => grantedFiles.filter((file) => allowedFor(file, kind).includes('put'));

test('who can put a session, a member or a public key also holds the signing secret', () => {
  expect(filesThatPut('session')).toEqual([signIn]);
  expect(filesThatPut('userSession')).toEqual([signIn]);
  for (const kind of ['members', 'membersOfSandbox'] as const)
    expect(filesThatPut(kind).toSorted()).toEqual([members, signIn]);
  expect(filesThatPut('signingKey')).toEqual([signIn]);
  const signing = grantedFiles.filter((file) => grantOf(file).secrets?.includes('signing'));
  expect(signing.toSorted()).toEqual([members, signIn]);
});

test.each(grantedFiles)('%s can update only when a session was used', (file) => {
  for (const kind of Object.keys(items) as Kind[]) {
    const updates = allowedFor(file, kind).filter((name) => name !== 'put');
    const isDashboard = kind === 'session' && file.startsWith('functions/dashboard/');
    expect([kind, updates]).toEqual([kind, isDashboard ? ['usedAt'] : []]);
  }
});
