/**
 * Reading records by their own id. A record carries the account and mode that it belongs to; whoever asks on
 * behalf of another finds nothing. How a noun's record becomes an item is the noun's own `RecordType`.
 */
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { isRecordId, type Owner, type Resource } from '../ids.ts';
import { dynamodb, retryDelayMs } from './client.ts';
import { keys } from './keys.ts';

/** What every numbered record has. */
export interface RecordBase extends Owner {
  readonly id: string;
  /** The record's number within account, mode and resource, from 1. */
  readonly seq: number;
  /** 1 when created, one higher with each write: what decisions are conditional on. */
  readonly version: number;
  /** 1 when created, one higher with each change of what the API shows. */
  readonly objectVersion: number;
  /** The dimensions in which it is listed, besides the list of all: `#<dimension>#<keyed hash>`. */
  readonly dimensions: readonly string[];
  readonly status: string;
}

export type Item = Record<string, unknown>;

/** How a noun's records are kept. */
export interface RecordType<T extends RecordBase> {
  readonly resource: Resource;
  /** The attributes of the record that are not part of `RecordBase`; none may be named `pk`, `sk` or `change`. */
  readonly toAttributes: (record: T) => Item;
  readonly fromItem: (item: Item) => T;
}

/** What was found under an id: `record` is absent if there is none, or if it belongs to another account or mode. */
export interface Reading<T extends RecordBase> {
  readonly type: RecordType<T>;
  readonly owner: Owner;
  readonly id: string;
  readonly record: T | undefined;
}

/** Reads one record, strongly consistent. An id that is malformed costs no call. */
export async function readRecord<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  id: string,
): Promise<Reading<T>> {
  return { type, owner, id, record: fromItem(type, owner, await readItem(type, id)) };
}

/** Reads one record on behalf of the service itself, whosever it is; undefined if there is none. */
export async function readAnyRecord<T extends RecordBase>(
  type: RecordType<T>,
  id: string,
): Promise<Reading<T> | undefined> {
  const item = await readItem(type, id);
  if (!item) return undefined;
  const record = type.fromItem(item);
  return { type, owner: { account: record.account, mode: record.mode }, id, record };
}

async function readItem<T extends RecordBase>(
  { resource }: RecordType<T>,
  id: string,
): Promise<Item | undefined> {
  if (!isRecordId(resource, id)) return undefined;
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.record(id), ConsistentRead: true }),
  );
  return item;
}

/** Reads up to 100 records in one call, strongly consistent; what DynamoDB left out is asked for again. */
export async function readRecords<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  const table = env.tableName();
  let open: Item[] = ids.map(keys.record).map((key) => ({ ...key }));
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    const answer = await dynamodb.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: open, ConsistentRead: true } } }),
    );
    for (const item of answer.Responses?.[table] ?? []) {
      const record = fromItem(type, owner, item);
      if (record) found.set(record.id, record);
    }
    open = answer.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

/** The record that an item holds, or undefined if it is not the owner's. */
export function fromItem<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  item: Item | undefined,
): T | undefined {
  if (!item) return undefined;
  return item.account === owner.account && item.mode === owner.mode ? type.fromItem(item) : undefined;
}

/** The item that holds `record`, as change `change` left it. */
export function toItem<T extends RecordBase>(type: RecordType<T>, record: T, change: string): Item {
  const { id, account, mode, seq, version, objectVersion, dimensions, status } = record;
  return {
    ...keys.record(id),
    account,
    mode,
    seq,
    version,
    objectVersion,
    dimensions,
    status,
    change,
    ...type.toAttributes(record),
  };
}
