/** Reads and writes the items that a migration goes through, and how far an interrupted run is. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';

/** Changes attributes of an item if they, and its version, are unchanged. Returns whether it did. */
export async function writeIfUnchanged(
  item: Item,
  changes: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const versioned = typeof item.version === 'number' ? { version: item.version + 1 } : {};
  try {
    await dynamodb.send(new UpdateCommand(updateOf(item, { ...changes, ...versioned })));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Returns the update that changes attributes, if they still have the values that `item` has. */
function updateOf(
  { pk, sk, ...before }: Item,
  changes: Readonly<Record<string, unknown>>,
): UpdateCommandInput {
  const names = Object.keys(changes);
  const set = names.flatMap((name, n) => (changes[name] === undefined ? [] : [`#a${n} = :new${n}`]));
  const remove = names.flatMap((name, n) => (changes[name] === undefined ? [`#a${n}`] : []));
  const unchanged = names.map((name, n) =>
    before[name] === undefined ? `attribute_not_exists(#a${n})` : `#a${n} = :old${n}`,
  );
  const values = names.flatMap((name, n) => [
    [`:new${n}`, changes[name]],
    [`:old${n}`, before[name]],
  ]);
  return {
    TableName: env.tableName(),
    Key: { pk, sk },
    UpdateExpression: `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`,
    ConditionExpression: ['attribute_exists(pk)', ...unchanged].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#a${n}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  };
}

/** Reads an item as it is now. Returns undefined if it does not exist. */
export async function readItemAgain({ pk, sk }: Item): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: { pk, sk }, ConsistentRead: true }),
  );
  return item;
}

/** How far a run is. */
export interface MigrationProgress {
  /** The items read so far, including those of an interrupted run. */
  readonly read: number;
  /** The items rewritten so far. In a dry run, those that a run would rewrite. */
  readonly migrated: number;
}

/** The state of an interrupted run. */
export interface SavedProgress extends MigrationProgress {
  /** The key after which the run continues. */
  readonly next: Item;
}

/** Returns how far an interrupted run is. Returns undefined if no run was interrupted. */
export async function readProgress(): Promise<SavedProgress | undefined> {
  return (await readItemAgain({ ...tableKeys.migrationProgress })) as SavedProgress | undefined;
}

export async function saveProgress(progress: SavedProgress): Promise<void> {
  await dynamodb.send(
    new PutCommand({ TableName: env.tableName(), Item: { ...tableKeys.migrationProgress, ...progress } }),
  );
}

/** Forgets the progress, because the run is complete. */
export async function deleteProgress(): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.migrationProgress }));
}

/** Yields the items of each page of the table after a key. `next` is the key of its last item, unless it is the last. */
export async function* scanTable(
  start: Item | undefined,
): AsyncGenerator<{ items: Item[]; next: Item | undefined }> {
  let next = start;
  do {
    const page = await dynamodb.send(
      new ScanCommand({ TableName: env.tableName(), ExclusiveStartKey: next, ConsistentRead: true }),
    );
    next = page.LastEvaluatedKey;
    yield { items: page.Items ?? [], next };
  } while (next);
}
