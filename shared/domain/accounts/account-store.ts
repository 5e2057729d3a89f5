/** Stores accounts: a profile per account, and an account state per mode. Only the command line writes profiles. */
import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changedSettings } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { type Mode, modes, type Owner, randomAccountId, randomCanaryAccountId } from '../../base/ids.ts';
import { ShortCache } from '../../base/short-cache.ts';
import { type Instant, now, toTimestamp } from '../../base/time.ts';
import { readAccountIds } from '../../store/account-directory.ts';
import { accountStateAttributes, hourOf } from '../../store/account-state.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { orMalformed } from '../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { type Account, type CreatedSandbox, type NewAccount, type Plan, plans } from './account.ts';
import { toAccount } from './account-item.ts';
import { newKeyListItem } from './key-items.ts';
import { closeKeys, createKey } from './key-store.ts';
import { type PageSettings, toPageSettings } from './page-settings.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A new account with the values of its first keys. These values are not stored and cannot be read later. */
export interface CreatedAccount {
  readonly accountId: string;
  readonly plan: Plan;
  readonly keys: Record<Mode, string>;
}

/**
 * Creates an account with one test key and one live key.
 * @throws Error if the service is in maintenance, or if the random account id is already used
 */
export async function createAccount(settings: NewAccount): Promise<CreatedAccount> {
  const accountId = await storeAccount(settings, now());
  const [test = '', live = ''] = await Promise.all(
    modes.map((mode) => createDefaultKey({ account: accountId, mode }, settings)),
  );
  return { accountId, plan: settings.plan, keys: { test, live } };
}

/**
 * Creates a sandbox: an account with test mode only, which ends and is deleted by itself. Its live mode is closed from the
 * beginning. The test key expires at the end.
 * @param days when it ends, from now
 * @throws the errors of `createAccount`
 */
export async function createSandbox({
  days,
  ...settings
}: NewAccount & { days: number }): Promise<CreatedSandbox> {
  const createdAt = now();
  const sandboxUntil = createdAt + days * dayMs;
  const accountId = await storeAccount(settings, createdAt, sandboxUntil);
  const test = await createDefaultKey({ account: accountId, mode: 'test' }, settings, sandboxUntil);
  return { accountId, plan: settings.plan, sandboxUntil, keys: { test } };
}

/** Writes the items of a new account in one transaction. Returns its id. */
async function storeAccount(
  { name, plan, displayName, origin, isCanary }: NewAccount,
  createdAt: Instant,
  sandboxUntil?: Instant,
): Promise<string> {
  const isSandbox = sandboxUntil !== undefined;
  const accountId = isCanary ? randomCanaryAccountId() : randomAccountId(isSandbox ? 'sandbox' : undefined);
  const sandbox = isSandbox && { sandboxUntil: toTimestamp(sandboxUntil) };
  const changes = changedSettings(undefined, { name, plan, displayName, ...sandbox });
  const items = [
    { ...tableKeys.account(accountId), name, plan, displayName, createdAt, sandboxUntil },
    isSandbox
      ? { ...tableKeys.sandbox(sandboxUntil, accountId), accountId, until: sandboxUntil }
      : { ...tableKeys.accountDirectory(createdAt, accountId), accountId },
    ...modes.flatMap((mode) => {
      const closedAt = isSandbox && mode === 'live' ? createdAt : undefined;
      return [
        newAccountState(accountId, mode, plan, closedAt),
        newKeyListItem({ account: accountId, mode }, closedAt),
      ];
    }),
  ];
  const owners = modes.map((mode) => ({ account: accountId, mode }));
  await createOnce(items, entryActions(owners, origin, { resource: accountId, changes, at: createdAt }));
  return accountId;
}

async function createDefaultKey(
  owner: Owner,
  { origin, apiVersion }: NewAccount,
  expiresAt?: Instant,
): Promise<string> {
  const keyOrigin = origin && ({ ...origin, action: 'key.create' } as const);
  return (await createKey({ owner, name: 'Default', expiresAt, apiVersion, origin: keyOrigin })).value;
}

/** Reads all accounts, oldest first. Those that cannot be read are left out. */
export async function listAccounts(): Promise<Account[]> {
  const accounts: Account[] = [];
  for await (const ids of readAccountIds()) accounts.push(...(await readAccounts(ids)));
  return accounts.sort((one, other) => one.createdAt - other.createdAt);
}

/** Reads accounts, in the order of their ids. Those that do not exist or cannot be read are left out. */
export async function readAccounts(ids: readonly string[]): Promise<Account[]> {
  const accounts = await Promise.all(ids.map((id) => orMalformed(readAccount(id))));
  return leaveOutMalformed(accounts.filter((account) => account !== undefined));
}

/**
 * Reads an account. Returns undefined if no account has this id, or if it was deleted.
 * @throws MalformedItemError
 */
export async function readAccount(accountId: string): Promise<Account | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.account(accountId), ConsistentRead: true }),
  );
  return item?.deletedAt === undefined ? item && toAccount(accountId, item) : undefined;
}

const pageSettings = /* @__PURE__ */ new ShortCache<PageSettings>();

/**
 * Returns the account settings that the payment page shows. They are at most 30 seconds old.
 * @throws Error if the account does not exist
 */
export function readPageSettings(accountId: string, at: Instant): Promise<PageSettings> {
  return pageSettings.get(accountId, at, () => readCurrentPageSettings(accountId));
}

/**
 * Returns the same settings as they are now, strongly consistent.
 * @throws Error if the account does not exist
 */
export async function readCurrentPageSettings(accountId: string): Promise<PageSettings> {
  const account = await readAccount(accountId);
  if (!account) throw new Error(`There is no account ${accountId}.`);
  return toPageSettings(account);
}

/** Changes the plan of an account. The new rate limit applies from the next request. */
export async function setPlan(accountId: string, plan: Plan): Promise<void> {
  await updateExisting(tableKeys.account(accountId), 'SET #plan = :value', { '#plan': 'plan' }, plan);
  for (const mode of modes) {
    const key = tableKeys.accountState({ account: accountId, mode });
    await updateExisting(key, 'SET #limit = :value', { '#limit': accountStateAttributes.limit }, plans[plan]);
  }
}

/**
 * Closes an account permanently.
 * - Its keys are rejected from the next request, no key can be created, and its payment pages take no payments.
 * - Payments, refunds and deliveries in progress continue.
 * - The call is idempotent: after an interruption, the next call continues where the last one stopped.
 * @returns undefined if no account has this id
 */
export async function closeAccount(accountId: string, at: Instant): Promise<Account | undefined> {
  const account = await markClosed(accountId, at);
  if (!account) return undefined;
  await Promise.all(modes.map((mode) => closeKeys({ account: accountId, mode }, at)));
  return updateProfile(accountId, 'SET keysClosed = :true', { ':true': true });
}

/** Resets the request count of the current hour, in both modes. */
export async function resetLimit(accountId: string, at: Instant): Promise<void> {
  for (const mode of modes) {
    const key = tableKeys.accountState({ account: accountId, mode });
    await updateExisting(key, 'REMOVE #hour', { '#hour': accountStateAttributes.hour(hourOf(at)) });
  }
}

function markClosed(accountId: string, at: Instant): Promise<Account | undefined> {
  return updateProfile(accountId, 'SET closedAt = if_not_exists(closedAt, :at)', { ':at': at });
}

/** Returns the updated account, or undefined if no account has this id. */
async function updateProfile(
  accountId: string,
  UpdateExpression: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Account | undefined> {
  try {
    const { Attributes: item = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.account(accountId),
        UpdateExpression,
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
      }),
    );
    return toAccount(accountId, item);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

function newAccountState(account: string, mode: Mode, plan: Plan, closedAt: Instant | undefined): Item {
  return {
    ...tableKeys.accountState({ account, mode }),
    [accountStateAttributes.limit]: plans[plan],
    [accountStateAttributes.keys]: {},
    [accountStateAttributes.idKeys]: { 1: randomBytes(32) },
    ...(closedAt !== undefined && { [accountStateAttributes.closed]: closedAt }),
  };
}

/**
 * Writes new items in one transaction, unless the service is in maintenance. No other transaction writes an account
 * state.
 */
async function createOnce(items: Item[], more: TransactionItem[]): Promise<void> {
  const TableName = env.tableName();
  const ifAbsent = { TableName, ConditionExpression: 'attribute_not_exists(pk)' };
  const result = await writeTransaction([
    { ConditionCheck: { ...ifAbsent, Key: tableKeys.maintenance } },
    ...items.map((Item) => ({ Put: { ...ifAbsent, Item } })),
    ...more,
  ]);
  if (result.written) return;
  if (result.failed[0]?.failed)
    throw new Error(
      'The service is in maintenance. Run npx remit maintenance off before you create an account.',
    );
  throw new Error('The random account id is already used. Try again.');
}

/** @throws ConditionalCheckFailedException if the item does not exist */
async function updateExisting(
  Key: { pk: string; sk: string },
  UpdateExpression: string,
  ExpressionAttributeNames: Record<string, string>,
  value?: unknown,
): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key,
      UpdateExpression,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames,
      ...(value !== undefined && { ExpressionAttributeValues: { ':value': value } }),
    }),
  );
}
