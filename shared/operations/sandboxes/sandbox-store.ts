/**
 * Finds the sandboxes that have ended, and writes what their deletion decides.
 *
 * - A partition names the sandboxes in the order of their ends, so finding them reads no other account.
 * - Each write that decides something has a condition on the profile: it is that of a closed sandbox. So an account
 *   that is not a sandbox is never deleted.
 * - The role of the function may write only items whose partition key has the mark of a sandbox (`isOfSandbox`).
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditOrigin } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { settingAttributes } from '../../domain/accounts/account.ts';
import { entryActions } from '../../domain/audit/outbox-entry.ts';
import { accountStateAttributes } from '../../store/account-state.ts';
import { deleteItems } from '../../store/batch-write.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, padInstant, tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryAll, queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  defineItem,
  instant,
  objectOf,
  optional,
  parseOrError,
  text,
} from '../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';

/** A sandbox that has ended. */
export interface EndedSandbox {
  readonly accountId: string;
  readonly until: Instant;
  /** When its records were gone. Undefined: they are not gone yet. */
  readonly emptiedAt: Instant | undefined;
}

/** Returns the sandboxes whose time is over and that are not deleted yet. */
export async function readEndedSandboxes(now: Instant): Promise<EndedSandbox[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk < :end',
    ExpressionAttributeValues: { ':pk': tableKeys.sandbox(0, '').pk, ':end': padInstant(now) },
  });
  return leaveOutMalformed(items.map((item) => parseOrError(item, parseSandbox)));
}

const nameOf = ({ pk, sk }: Item) => `${pk}#${sk}`;
const parseSandbox = defineItem<EndedSandbox>(nameOf, {
  accountId: text,
  until: instant,
  emptiedAt: optional(instant),
});
const parseNote = defineItem<{ readonly companions: readonly Key[] }>(nameOf, {
  companions: arrayOf(objectOf<Key>({ pk: text, sk: text })),
});

/** A record to delete, and the items that exist because of it. */
export interface RecordToDelete {
  readonly key: Key;
  readonly version: unknown;
  readonly companions: readonly Key[];
}

/**
 * Deletes records that still have the version that was read, and notes their companions in the same transaction.
 * @param records at most 49
 * @returns whether all were deleted. If not, none was.
 */
export async function deleteRecords(
  { accountId, until }: EndedSandbox,
  records: readonly RecordToDelete[],
): Promise<boolean> {
  const TableName = env.tableName();
  const { written } = await writeTransaction([
    { ConditionCheck: { ...closedSandbox(until), TableName, Key: tableKeys.account(accountId) } },
    ...records.flatMap(({ key, version, companions }): TransactionItem[] => [
      {
        Delete: {
          TableName,
          Key: { ...key },
          ConditionExpression: '#version = :version',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':version': version },
        },
      },
      {
        Put: {
          TableName,
          Item: { ...tableKeys.deletedRecord(accountId, `${key.pk}#${key.sk}`), companions },
        },
      },
    ]),
  ]);
  return written;
}

/** Notes that the records are gone, which takes the account from the list of all accounts. */
export async function markEmptied({ accountId, until }: EndedSandbox, now: Instant): Promise<void> {
  const TableName = env.tableName();
  await writeTransaction([
    { ConditionCheck: { ...closedSandbox(until), TableName, Key: tableKeys.account(accountId) } },
    {
      Update: {
        TableName,
        Key: tableKeys.sandbox(until, accountId),
        UpdateExpression: 'SET emptiedAt = if_not_exists(emptiedAt, :now)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': now },
      },
    },
  ]);
}

/** Deletes what the deleted records have left, and then the notes of it. @throws MalformedItemError */
export async function deleteCompanions(accountId: string): Promise<void> {
  for await (const notes of queryPages(partition(tableKeys.deletedRecord(accountId, '').pk))) {
    await deleteItems(notes.flatMap((note) => parseNote(note).companions));
    await deleteItems(notes as unknown as Key[]);
  }
}

/** Deletes all items of a partition. */
export async function deletePartition(pk: string): Promise<void> {
  for await (const items of queryPages(partition(pk))) await deleteItems(items as unknown as Key[]);
}

const partition = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});

/** Deletes an item that the role of the function may not delete in a batch, because batches can also put items. */
export async function deleteStoredItem(key: Key): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: key }));
}

/** Deletes the account state of an account and mode, if it is closed. */
export async function deleteAccountState(owner: Owner): Promise<void> {
  const deletion = new DeleteCommand({
    TableName: env.tableName(),
    Key: tableKeys.accountState(owner),
    ConditionExpression: 'attribute_exists(#closed)',
    ExpressionAttributeNames: { '#closed': accountStateAttributes.closed },
  });
  try {
    await dynamodb.send(deletion);
  } catch (error) {
    // An interrupted run has deleted it.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

const origin: AuditOrigin = {
  actor: { type: 'service', id: 'sandboxes' },
  action: 'account.delete',
  requestId: null,
  source: null,
};

/**
 * Deletes the settings in the profile, which stays, so the id is never used again. Adds the entry of the audit log.
 * @returns false if another run has done it
 */
export async function endSandbox({ accountId, until }: EndedSandbox, now: Instant): Promise<boolean> {
  const TableName = env.tableName();
  const removed = settingAttributes.filter((name) => !['pk', 'sk', 'closedAt'].includes(name));
  const owners = modes.map((mode) => ({ account: accountId, mode }));
  const { written } = await writeTransaction(
    [
      {
        Update: {
          TableName,
          Key: tableKeys.account(accountId),
          UpdateExpression: `SET deletedAt = :now REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
          ConditionExpression: closedSandbox(until).ConditionExpression,
          ExpressionAttributeNames: Object.fromEntries(removed.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: { ':until': until, ':now': now },
        },
      },
      { Delete: { TableName, Key: tableKeys.sandbox(until, accountId) } },
      ...entryActions(owners, origin, { resource: accountId, changes: [], at: now }),
    ],
    randomUUID(),
  );
  return written;
}

/** The condition that a profile is that of a sandbox that is closed and not deleted. */
const closedSandbox = (until: Instant) => ({
  ConditionExpression:
    'sandboxUntil = :until AND attribute_exists(closedAt) AND attribute_not_exists(deletedAt)',
  ExpressionAttributeValues: { ':until': until },
});
