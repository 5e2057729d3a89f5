/**
 * Reads records by their own id, and converts them to and from table items.
 *
 * - A record names the account and mode that it belongs to. A caller of another account or mode finds nothing.
 * - Each resource's `record.ts` lists how its properties are stored. The list is exhaustive by type: a property that is
 *   not stored does not compile.
 * - A record keeps the attributes of its item that this version does not know, and its writes store them again. So
 *   during a rollout, an older version loses nothing that a newer one has stored.
 * - Every item is checked when it is read. If it is malformed, a read of this record fails with `MalformedItemError`, so nothing
 *   shows or changes it. A read of several records returns the others.
 */
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import { isRecordId, modes, type Owner, type Resource } from '../base/ids.ts';
import type { StatusOf } from '../base/statuses.ts';
import { dynamodb } from './client.ts';
import { type Key, tableKeys } from './keys.ts';
import type { MoneyEntry } from './money-entries.ts';
import {
  type AttributeChecks,
  arrayOf,
  checksOf,
  decompress,
  type Field,
  MalformedItemError,
  oneOf,
  parseJson,
  positive,
  requireAttributes,
  text,
} from './stored-fields.ts';
import { type StoredText, toStoredText } from './stored-text.ts';
import { waitWhileThrottled } from './throttling.ts';

/** The properties that every record has. */
export interface RecordBase extends Owner {
  readonly id: string;
  /** 1 at creation, one higher with each write. Writes are conditional on it. */
  readonly version: number;
  readonly status: string;
}

/** A record with a sequence number: index pages list it, and its id alone finds it. */
export interface NumberedRecord<R extends Resource = Resource> extends RecordBase {
  readonly status: StatusOf<R>;
  /** The record's number within account, mode and resource, from 1. */
  readonly seq: number;
  /** 1 at creation, one higher with each change that the API shows. */
  readonly objectVersion: number;
  /**
   * The filtered lists that contain the record: `#<filter>#<value or keyed hash>`. The list of all is not among them.
   */
  readonly filterKeys: readonly string[];
}

/** A table item: attributes by name. */
export type Item = Record<string, unknown>;

/** How the records of one resource are stored. Made by `defineRecordType`. */
export interface RecordType<T extends RecordBase> {
  /** Whether an id has the form of such a record's id. Other ids need no lookup. */
  readonly isId: (id: string) => boolean;
  readonly keyOf: (owner: Owner, id: string) => Key;
  /** The part of the key that is the record's id. */
  readonly idIn: keyof Key;
  /** The stored properties, besides those of `RecordBase`. Each has the attribute of the same name. */
  readonly attributes: readonly string[];
  /** The checks of all attributes, including those of `RecordBase`. */
  readonly checks: AttributeChecks;
  /** All attributes of the items, including those of `RecordBase` and the key. */
  readonly known: ReadonlySet<string>;
  /** The properties that are stored compressed if they are long. */
  readonly texts?: readonly string[];
  /** The properties that are stored as JSON text, compressed if it is long, with the checks of their values. */
  readonly json?: Readonly<Record<string, Field<never>>>;
  /** Computes the properties that are not stored, from the id. */
  readonly derive?: (id: string) => Partial<T>;
  /** Returns what a record adds to the accounts of the journal. Undefined: nothing. */
  balanceOf?(record: T): readonly MoneyEntry[];
}

export interface NumberedType<T extends NumberedRecord> extends RecordType<T> {
  readonly resource: Resource;
  /**
   * The statuses that a record never leaves, and in which only an erasure, or the void of a payment, changes what lists show of it. A
   * release that changes more of it must not name the status, and neither must the release before.
   */
  readonly lastStatuses?: readonly string[];
}

/**
 * How the properties of `T` are stored, except those of `Base`. Exhaustive: each property is in `attributes`, or is one
 * of `Derived`.
 */
type Stored<T, Base, Derived extends keyof T> = {
  /** How each property is stored, and what an item must have. */
  readonly attributes: {
    readonly [Name in Exclude<keyof T, keyof Base | Derived> & string]-?: Field<T[Name]>;
  };
  /** The properties that are stored compressed if they are long. */
  readonly texts?: readonly (keyof T & string)[];
  /** The properties that are stored as JSON text, compressed if it is long, with the checks of their values. */
  readonly json?: { readonly [Name in keyof T & string]?: Field<NonNullable<T[Name]>> };
} & ([Derived] extends [never] ? object : { readonly derive: (id: string) => Pick<T, Derived> });

/**
 * Defines how records are stored.
 * @typeParam Derived the properties that `derive` computes from the id; they are not stored
 */
export function defineRecordType<T extends RecordBase, Derived extends keyof T = never>(
  definition: Pick<RecordType<T>, 'isId' | 'keyOf' | 'idIn'> & Stored<T, RecordBase, Derived>,
): RecordType<T> {
  return { ...definition, ...namesOf(definition.attributes) } as object as RecordType<T>;
}

/**
 * Defines how numbered records are stored: under their own id.
 * @typeParam Derived the properties that `derive` computes from the id; they are not stored
 */
export function defineNumberedType<T extends NumberedRecord, Derived extends keyof T = never>(
  resource: Resource,
  stored: Stored<T, NumberedRecord, Derived> & {
    readonly lastStatuses?: readonly T['status'][];
    balanceOf?(record: T): readonly MoneyEntry[];
  },
): NumberedType<T> {
  return {
    ...(stored as object as Pick<
      NumberedType<T>,
      'derive' | 'texts' | 'json' | 'lastStatuses' | 'balanceOf'
    >),
    resource,
    isId: (id) => isRecordId(resource, id),
    keyOf: (_, id) => tableKeys.record(id),
    idIn: 'pk',
    ...namesOf({ ...numberedAttributes, ...stored.attributes }),
  };
}

const numberedAttributes = {
  seq: positive,
  objectVersion: positive,
  filterKeys: arrayOf(text),
};

/** A later version can store other statuses. */
const baseChecks = checksOf({ account: text, mode: oneOf(...modes), version: positive, status: text });
const baseAttributes = ['pk', 'sk', 'account', 'mode', 'version', 'status', 'change'];

function namesOf(definition: object): Pick<RecordType<RecordBase>, 'attributes' | 'known' | 'checks'> {
  const attributes = Object.keys(definition);
  return {
    attributes,
    known: new Set([...baseAttributes, ...attributes]),
    checks: [...baseChecks, ...checksOf(definition)],
  };
}

/**
 * The property of a record with the attributes of its item that this version does not know. Copies of the record have it,
 * too. It is a symbol, so nothing shows it.
 */
const unknownAttributes = Symbol('unknown attributes');

/** The result of a read by id. `record` is undefined if it does not exist, or belongs to another account or mode. */
export interface LoadedRecord<T extends RecordBase> {
  readonly type: RecordType<T>;
  readonly owner: Owner;
  readonly id: string;
  readonly record: T | undefined;
}

/**
 * Reads one record, strongly consistent. A malformed id costs no call.
 * @throws MalformedItemError
 */
export async function readRecord<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  id: string,
): Promise<LoadedRecord<T>> {
  const item = type.isId(id) ? await readItem(type.keyOf(owner, id)) : undefined;
  return { type, owner: ownerOnly(owner), id, record: fromItem(type, owner, item) };
}

/** Returns the owner alone. A caller may pass a record of it, whose other properties would become those of a new record. */
export const ownerOnly = ({ account, mode }: Owner): Owner => ({ account, mode });

/**
 * Reads one record of any account, on behalf of the service itself. Returns undefined if it does not exist.
 * @throws MalformedItemError
 */
export async function readRecordOfAnyAccount<T extends RecordBase>(
  type: RecordType<T>,
  id: string,
): Promise<LoadedRecord<T> | undefined> {
  const item = type.isId(id) ? await readItem(tableKeys.record(id)) : undefined;
  if (!item) return undefined;
  const record = recordOf(type, item);
  return { type, owner: { account: record.account, mode: record.mode }, id, record };
}

/** Reads an item, strongly consistent. Undefined: it does not exist. */
export async function readItem(key: Key): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: key, ConsistentRead: true }),
  );
  return item;
}

/**
 * How DynamoDB reads: `strong` shows every earlier write. `eventual` can miss the writes of the last seconds, and costs half.
 */
export type Consistency = 'strong' | 'eventual';

/** The records that a read has found, by id, and those that exist but are malformed. The caller decides what that means. */
export interface FoundRecords<T> {
  readonly records: Map<string, T>;
  readonly malformed: Map<string, MalformedItemError>;
}

/** Reads up to 100 records in one call. Returns those that exist. */
export async function readRecords<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
  consistency: Consistency = 'strong',
): Promise<FoundRecords<T>> {
  return fromItems(type, owner, await readItems(ids.map(tableKeys.record), consistency));
}

/** Returns the records in items, without those of another owner. */
export function fromItems<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  items: readonly Item[],
): FoundRecords<T> {
  const records = new Map<string, T>();
  const malformed = new Map<string, MalformedItemError>();
  for (const item of items) {
    try {
      const record = fromItem(type, owner, item);
      if (record) records.set(record.id, record);
    } catch (error) {
      if (!(error instanceof MalformedItemError)) throw error;
      malformed.set(error.item, error);
    }
  }
  return { records, malformed };
}

/** Merges what several reads have found. */
export function mergeFound<T>(found: readonly FoundRecords<T>[]): FoundRecords<T> {
  return {
    records: new Map(found.flatMap(({ records }) => [...records])),
    malformed: new Map(found.flatMap(({ malformed }) => [...malformed])),
  };
}

/** Returns the records that were found. @throws MalformedItemError if one is malformed: nothing may be done without it */
export function requireRecords<T>({ records, malformed }: FoundRecords<T>): Map<string, T> {
  for (const error of malformed.values()) throw error;
  return records;
}

/** Reads the items of up to 100 keys, in any order. Keys that DynamoDB left out are read again. */
export async function readItems(
  wanted: readonly Key[],
  consistency: Consistency = 'strong',
): Promise<Item[]> {
  const found: Item[] = [];
  const table = env.tableName();
  let remaining: Item[] = wanted.map((key) => ({ ...key }));
  for (let attempt = 0; remaining.length > 0; attempt++) {
    if (attempt > 0) await waitWhileThrottled(attempt);
    const answer = await dynamodb.send(
      new BatchGetCommand({
        RequestItems: { [table]: { Keys: remaining, ConsistentRead: consistency === 'strong' } },
      }),
    );
    found.push(...(answer.Responses?.[table] ?? []));
    remaining = answer.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

/**
 * The record in an item, or undefined if the item does not exist or belongs to another owner.
 * @throws MalformedItemError
 */
export function fromItem<T extends RecordBase>(
  type: RecordType<T>,
  owner: Owner,
  item: Item | undefined,
): T | undefined {
  if (!item) return undefined;
  return item.account === owner.account && item.mode === owner.mode ? recordOf(type, item) : undefined;
}

function recordOf<T extends RecordBase>(type: RecordType<T>, item: Item): T {
  const { idIn, attributes, checks, known, texts = [], json = {}, derive } = type;
  const id = String(item[idIn]);
  requireAttributes(checks, item, () => id);
  const { account, mode, version, status } = item;
  const record: Item & { [unknownAttributes]?: Item } = { id, account, mode, version, status };
  for (const name of attributes) if (item[name] !== undefined) record[name] = item[name];
  for (const name of texts) {
    if (record[name] !== undefined) record[name] = decompress(id, name, record[name] as StoredText);
  }
  for (const [name, field] of Object.entries(json)) {
    if (record[name] !== undefined) record[name] = parseJson(id, name, record[name] as StoredText, field);
  }
  const unknown: [string, unknown][] = [];
  for (const name of Object.keys(item)) if (!known.has(name)) unknown.push([name, item[name]]);
  if (unknown.length > 0) record[unknownAttributes] = Object.fromEntries(unknown);
  return Object.assign(record, derive?.(id)) as unknown as T;
}

/**
 * Returns the item that stores `record`.
 * @param change the id of the change that writes it
 */
export function toItem<T extends RecordBase>(type: RecordType<T>, record: T, change: string): Item {
  const { id, account, mode, version, status } = record;
  const { [unknownAttributes]: unknown } = record as { readonly [unknownAttributes]?: Item };
  const item: Item = { ...unknown, ...type.keyOf(record, id), account, mode, version, status, change };
  for (const name of type.attributes) {
    const value = (record as unknown as Item)[name];
    if (type.texts?.includes(name) && typeof value === 'string') item[name] = toStoredText(value);
    else if (type.json?.[name] && value !== undefined) item[name] = toStoredText(JSON.stringify(value));
    else item[name] = value;
  }
  return item;
}
