/** Accounts in the table: their profiles, and a head for each mode. Written from the command line only. */
import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { type Mode, modes, randomId } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { headAttributes, hourOf } from '../store/heads.ts';
import { keys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { type Instant, now } from '../time.ts';
import { type Account, type Plan, plans, type SettingsChange } from './account.ts';
import { closeKeys, createKey } from './key-store.ts';
import { type PageSettings, PageSettingsMemory, pageSettingsOf } from './page-settings.ts';

/** An account that was just created, with the only appearance of its first keys' values. */
export interface CreatedAccount {
  readonly accountId: string;
  readonly plan: Plan;
  readonly keys: Record<Mode, string>;
}

/** Creates an account with one test and one live key. */
export async function createAccount({ name, plan }: { name: string; plan: Plan }): Promise<CreatedAccount> {
  const accountId = randomId('account');
  const createdAt = now();
  await createOnce([
    { ...keys.account(accountId), name, plan, createdAt },
    { ...keys.directory(createdAt, accountId), accountId },
    ...modes.map((mode) => newHead(accountId, mode, plan)),
  ]);
  const [test, live] = await Promise.all(
    modes.map((mode) => createKey({ owner: { account: accountId, mode }, name: 'Default' })),
  );
  if (!test || !live) throw new Error('There are two modes.');
  return { accountId, plan, keys: { test: test.value, live: live.value } };
}

/** All accounts, oldest first. */
export async function listAccounts(): Promise<Account[]> {
  const accounts: Account[] = [];
  let start: Item | undefined;
  do {
    const answer = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': keys.directory(0, '').pk },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const found = await Promise.all((answer.Items ?? []).map((item) => readAccount(String(item.accountId))));
    accounts.push(...found.flatMap((account) => account ?? []));
    start = answer.LastEvaluatedKey;
  } while (start);
  return accounts;
}

/** The account, or undefined if there is none with that id. */
export async function readAccount(accountId: string): Promise<Account | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.account(accountId), ConsistentRead: true }),
  );
  return item && toAccount(accountId, item);
}

const pageSettings = new PageSettingsMemory(async (accountId) => {
  const account = await readAccount(accountId);
  if (!account) throw new Error(`There is no account ${accountId}.`);
  return pageSettingsOf(account);
});

/**
 * What the payment page shows of the account, as it was within the last 30 seconds.
 * @throws Error if there is no such account
 */
export function readPageSettings(accountId: string, at: Instant): Promise<PageSettings> {
  return pageSettings.recall(accountId, at);
}

/** Changes settings, at least one, all of them at once. Returns undefined if there is no account with that id. */
export async function updateSettings(
  accountId: string,
  change: SettingsChange,
): Promise<Account | undefined> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  const set = entries.filter(([, value]) => value !== null);
  const removed = entries.filter(([, value]) => value === null);
  const clauses = [
    ...(set.length > 0 ? [`SET ${set.map(([name]) => `${name} = :${name}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => name).join(', ')}`] : []),
  ];
  const values = Object.fromEntries(set.map(([name, value]) => [`:${name}`, value]));
  return updateProfile(accountId, clauses.join(' '), set.length > 0 ? values : undefined);
}

/** Changes an account's plan; the new limit holds from the next request on. */
export async function setPlan(accountId: string, plan: Plan): Promise<void> {
  await updateExisting(keys.account(accountId), 'SET #plan = :value', { '#plan': 'plan' }, plan);
  for (const mode of modes) {
    const head = keys.head({ account: accountId, mode });
    await updateExisting(head, 'SET #limit = :value', { '#limit': headAttributes.limit }, plans[plan]);
  }
}

/**
 * Closes an account for good: its keys are refused from the next request on, none can be created any more, and its
 * payment pages take no payments. What is under way goes on. However often it is called or interrupted, it goes on
 * where it stopped. Returns undefined if there is no account with that id.
 */
export async function closeAccount(accountId: string, at: Instant): Promise<Account | undefined> {
  const account = await markClosed(accountId, at);
  if (!account) return undefined;
  await Promise.all(modes.map((mode) => closeKeys({ account: accountId, mode }, at)));
  return updateProfile(accountId, 'SET keysClosed = :true', { ':true': true });
}

/** Gives an account its whole hour again, in both modes. */
export async function resetLimit(accountId: string, at: Instant): Promise<void> {
  for (const mode of modes) {
    const head = keys.head({ account: accountId, mode });
    await updateExisting(head, 'REMOVE #hour', { '#hour': headAttributes.hour(hourOf(at)) });
  }
}

function markClosed(accountId: string, at: Instant): Promise<Account | undefined> {
  return updateProfile(accountId, 'SET closedAt = if_not_exists(closedAt, :at)', { ':at': at });
}

/** Returns the account as it is then, or undefined if there is none with that id. */
async function updateProfile(
  accountId: string,
  UpdateExpression: string,
  values: Readonly<Record<string, unknown>> | undefined,
): Promise<Account | undefined> {
  try {
    const { Attributes: item = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.account(accountId),
        UpdateExpression,
        ConditionExpression: 'attribute_exists(pk)',
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

function toAccount(accountId: string, item: Item): Account {
  const { name, plan, createdAt, closedAt, ...settings } = item as unknown as Account;
  const { displayName, paymentInstructions, paymentQr } = settings;
  const isClosing = closedAt !== undefined && item.keysClosed !== true;
  return {
    accountId,
    name,
    plan,
    createdAt,
    closedAt,
    isClosing,
    displayName,
    paymentInstructions,
    paymentQr,
  };
}

function newHead(account: string, mode: Mode, plan: Plan): Item {
  return {
    ...keys.head({ account, mode }),
    [headAttributes.limit]: plans[plan],
    [headAttributes.keys]: {},
    [headAttributes.idKeys]: { 1: randomBytes(32) },
  };
}

/** The one transaction that a head is ever part of: the one that makes it. */
async function createOnce(items: Item[]): Promise<void> {
  const { written } = await writeTransaction(
    items.map((Item) => ({
      Put: { TableName: env.tableName(), Item, ConditionExpression: 'attribute_not_exists(pk)' },
    })),
  );
  if (!written) throw new Error('The random account id exists already.');
}

/** @throws ConditionalCheckFailedException if there is no such item */
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
