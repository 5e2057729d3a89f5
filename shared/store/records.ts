/**
 * Reading records by their own id. A record carries the account and mode that it belongs to; whoever asks on
 * behalf of another finds nothing. How a noun's record becomes an item is the noun's own `RecordType`.
 */
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { isRecordId, type Owner, type Resource } from '../ids.ts';
import { dynamodb, retryDelayMs } from './client.ts';
import { type Key, keys } from './keys.ts';

/** What every record has. */
export interface RecordBase extends Owner {
  readonly id: string;
  /** 1 when created, one higher with each write: what decisions are conditional on. */
  readonly version: number;
  readonly status: string;
}

/** A record that is listed by index pages, and found by its id alone. */
export interface NumberedRecord extends RecordBase {
  /** The record's number within account, mode and resource, from 1. */
  readonly seq: number;
  /** 1 when created, one higher with each change of what the API shows. */
  readonly objectVersion: number;
  /** The dimensions in which it is listed, besides the list of all: `#<dimension>#<keyed hash>`. */
  readonly dimensions: readonly string[];
}

export type Item = Record<string, unknown>;

/** How a noun's records are kept. */
export interface RecordType<T extends RecordBase> {
  /** Whether an id has the form of such a record's; what has not need not be looked up. */
  readonly isId: (id: string) => boolean;
  readonly keyOf: (owner: Owner, id: string) => Key;
  /** The part of the key that is the record's id. */
  readonly idIn: keyof Key;
  /** What is kept besides `RecordBase`; none may be named `pk`, `sk` or `change`. */
  readonly attributes: readonly (Exclude<keyof T, keyof RecordBase> & string)[];
  /** What is not kept, as it follows from the id. */
  readonly derived?: (id: string) => Partial<T>;
}

export interface NumberedType<T extends NumberedRecord> extends RecordType<T> {
  readonly resource: Resource;
}

/**
 * How numbered records are kept: under their own id.
 * @param own the attributes besides those of every numbered record
 */
export function numbered<T extends NumberedRecord>(
  resource: Resource,
  own: readonly Exclude<RecordType<T>['attributes'][number], keyof NumberedRecord>[],
  derived?: RecordType<T>['derived'],
): NumberedType<T> {
  return {
    resource,
    isId: (id) => isRecordId(resource, id),
    keyOf: (_, id) => keys.record(id),
    idIn: 'pk',
    attributes: ['seq', 'objectVersion', 'dimensions', ...own] as RecordType<T>['attributes'],
    ...(derived && { derived }),
  };
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
  const item = type.isId(id) ? await readItem(type.keyOf(owner, id)) : undefined;
  return { type, owner, id, record: fromItem(type, owner, item) };
}

/** Reads one record on behalf of the service itself, whosever it is; undefined if there is none. */
export async function readAnyRecord<T extends NumberedRecord>(
  type: NumberedType<T>,
  id: string,
): Promise<Reading<T> | undefined> {
  const item = type.isId(id) ? await readItem(keys.record(id)) : undefined;
  if (!item) return undefined;
  const record = recordOf(type, item);
  return { type, owner: { account: record.account, mode: record.mode }, id, record };
}

async function readItem(key: Key): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: key, ConsistentRead: true }),
  );
  return item;
}

/** Reads up to 100 records in one call, strongly consistent. */
export async function readRecords<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for (const item of await readItems(ids.map(keys.record))) {
    const record = fromItem(type, owner, item);
    if (record) found.set(record.id, record);
  }
  return found;
}

/** The items of up to 100 keys that are there, in any order, strongly consistent; what DynamoDB left out is asked for again. */
export async function readItems(wanted: readonly Key[]): Promise<Item[]> {
  const found: Item[] = [];
  const table = env.tableName();
  let open: Item[] = wanted.map((key) => ({ ...key }));
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    const answer = await dynamodb.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: open, ConsistentRead: true } } }),
    );
    found.push(...(answer.Responses?.[table] ?? []));
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
  return item.account === owner.account && item.mode === owner.mode ? recordOf(type, item) : undefined;
}

function recordOf<T extends RecordBase>({ idIn, derived }: RecordType<T>, item: Item): T {
  const { pk: _, sk: __, change: ___, ...kept } = item;
  const id = String(item[idIn]);
  return { ...kept, id, ...derived?.(id) } as unknown as T;
}

/** The item that holds `record`, as change `change` left it. */
export function toItem<T extends RecordBase>(type: RecordType<T>, record: T, change: string): Item {
  const { id, account, mode, version, status } = record;
  const kept = type.attributes.map((name) => [name, record[name]]);
  return { ...type.keyOf(record, id), account, mode, version, status, change, ...Object.fromEntries(kept) };
}
