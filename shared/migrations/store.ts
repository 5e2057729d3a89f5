/** Reads the items that a migration goes through, and stores how far an interrupted run is. */
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { readItemAgain } from '../store/rewrite-item.ts';

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
