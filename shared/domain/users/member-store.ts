/**
 * Stores the members and invitations of accounts, and the list of the accounts of each user. One transaction writes both,
 * so they always agree. The members are signed, and a change begins with members whose signature is valid.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type AuditOrigin, changedSettings, type SettingChange } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { idPrefixes, modes, sandboxMark } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  defineItem,
  instant,
  objectOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import {
  type AccountMembers,
  type FormerMember,
  formerMembersAfter,
  type Invitation,
  type Member,
} from './members.ts';
import { currentSigningKeyId, isSigned, signedWith, signItem } from './signed-item.ts';

/** More than the other changes of one account that can run at the same time. */
const maxAttempts = 20;

/** Reads the members and invitations of an account, strongly consistent. An unknown account has none. */
export async function readMembers(account: string): Promise<AccountMembers> {
  return toMembers(account, await readMembersItem(account));
}

/** Reads the ids of the accounts that a user is a member of: first those of permanent accounts, each in their order. */
export async function listAccountsOfUser(user: string): Promise<string[]> {
  const partitions = [permanentId, sandboxId].map((id) => tableKeys.userAccount(user, id).pk);
  const lists = partitions.map((pk) =>
    queryAll({ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }),
  );
  return (await Promise.all(lists)).flat().map(({ sk }) => String(sk));
}

/** Begin as the ids of accounts of both kinds. */
const [permanentId, sandboxId] = [`${idPrefixes.account}_`, `${idPrefixes.account}_${sandboxMark}`];

/**
 * Changes the members or invitations of an account, with the entry in the audit log.
 * @param origin who changes them. Undefined: the audit log does not record it.
 * @param decide returns the changed members, or its argument if nothing changes. It runs again if another request has
 *   changed them meanwhile.
 * @returns the members as they are then
 * @throws what `decide` throws; Error if other requests kept changing the members
 */
export async function changeMembers(
  account: string,
  decide: (current: AccountMembers) => AccountMembers,
  origin?: AuditOrigin,
): Promise<AccountMembers> {
  const owners = modes.map((mode) => ({ account, mode }));
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const item = await readMembersItem(account);
    const current = toMembers(account, item);
    const changed = decide(current);
    if (changed === current) return current;
    const former = formerMembersAfter(current, changed, now());
    const next = { ...changed, former, version: current.version + 1 };
    const { written } = await writeTransaction([
      await putMembers(next, current.version, item),
      ...accountListChanges(current, next),
      ...entryActions(owners, origin, { resource: account, changes: roleChanges(current, next), at: now() }),
    ]);
    if (written) return next;
  }
  throw new Error(`The members of ${account} kept changing.`);
}

/**
 * Deletes the members and invitations of an account that is deleted. It needs no signature, so the function that does it cannot
 * make a member.
 * @throws Error if other requests kept changing the members
 */
export async function deleteMembers(account: string): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const item = await readItem(account);
    if (!item) return;
    const current = toMembers(account, item);
    const { written } = await writeTransaction([
      {
        Delete: {
          TableName: env.tableName(),
          Key: tableKeys.members(account),
          ...onVersion(current.version),
        },
      },
      ...accountListChanges(current, { ...current, members: [] }),
    ]);
    if (written) return;
  }
  throw new Error(`The members of ${account} kept changing.`);
}

/** Returns the id of the key that signed the members of an account. Undefined: it never had any. */
export async function readMembersKeyId(account: string): Promise<string | undefined> {
  const item = await readItem(account);
  return item && signedWith(item);
}

/**
 * Signs the members of an account with the current key.
 * @returns false if that key has signed them already, or if there are none
 * @throws Error if they are not signed
 */
export async function resignMembers(account: string): Promise<boolean> {
  const id = await readMembersKeyId(account);
  if (id === undefined || id === (await currentSigningKeyId())) return false;
  await changeMembers(account, (current) => ({ ...current }));
  return true;
}

/** @throws Error if the members are not as a function with the signing secret has stored them */
async function readMembersItem(account: string): Promise<Item | undefined> {
  const item = await readItem(account);
  if (item && !(await isSigned(item)))
    throw new Error(
      `The members of ${account} have no valid signature, so nobody can use its dashboard. The section "Members without a valid signature" of docs/operate/dashboard.md has the steps.`,
    );
  return item;
}

async function readItem(account: string): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.members(account), ConsistentRead: true }),
  );
  return item;
}

/** @throws MalformedItemError */
function toMembers(account: string, item: Item | undefined): AccountMembers {
  if (!item) return { account, version: 0, members: [], invitations: [] };
  return { account, ...parseMembers(item) };
}

const parseMembers = defineItem<Omit<AccountMembers, 'account'>>(({ pk }) => String(pk), {
  version: positive,
  members: arrayOf(
    objectOf<Member>({
      user: text,
      issuer: text,
      subject: text,
      email: text,
      role: textOf<Member['role']>(),
      since: instant,
    }),
  ),
  invitations: arrayOf(
    objectOf<Invitation>({
      id: text,
      hash: text,
      email: text,
      role: textOf<Invitation['role']>(),
      createdAt: instant,
      endsAt: instant,
      acceptedBy: optional(text),
    }),
  ),
  former: optional(arrayOf(objectOf<FormerMember>({ user: text, email: text, until: instant }))),
});

/** Attributes that this version does not know stay in the item. */
async function putMembers(
  { account, version, members, invitations, former }: AccountMembers,
  expected: number,
  item: Item | undefined,
): Promise<TransactionItem> {
  const { former: _, ...unchanged } = item ?? {};
  const next = { ...unchanged, ...tableKeys.members(account), version, members, invitations };
  return {
    Put: {
      TableName: env.tableName(),
      Item: await signItem({ ...next, ...(former && { former }) }),
      ...(item ? onVersion(expected) : { ConditionExpression: 'attribute_not_exists(pk)' }),
    },
  };
}

const onVersion = (expected: number) => ({
  ConditionExpression: '#version = :expected',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':expected': expected },
});

function accountListChanges(before: AccountMembers, after: AccountMembers): TransactionItem[] {
  const usersOf = ({ members }: AccountMembers) => new Set(members.map(({ user }) => user));
  const [old, current] = [usersOf(before), usersOf(after)];
  const { account } = after;
  const TableName = env.tableName();
  return [
    ...[...current.difference(old)].map((user) => ({
      Put: { TableName, Item: { ...tableKeys.userAccount(user, account), account } },
    })),
    ...[...old.difference(current)].map((user) => ({
      Delete: { TableName, Key: tableKeys.userAccount(user, account) },
    })),
  ];
}

/** The roles of members and invitations before and after a change, by id. The audit log has no e-mail addresses. */
function roleChanges(before: AccountMembers, after: AccountMembers): SettingChange[] {
  const rolesOf = ({ members, invitations }: AccountMembers) =>
    Object.fromEntries([
      ...members.map(({ user, role }) => [user, role]),
      ...invitations.filter(({ acceptedBy }) => !acceptedBy).map(({ id, role }) => [id, role]),
    ]);
  return changedSettings(rolesOf(before), rolesOf(after));
}
