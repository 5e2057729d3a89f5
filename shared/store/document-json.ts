/**
 * Converts the inputs and outputs of the SDK's document commands to DynamoDB's JSON and back, as the SDK does it. Covers the
 * parameters that DynamoDB recommends, and not those that it keeps for old programs, such as `KeyConditions`.
 *
 * The loops use `Object.keys`. With `for (const name in item)`, V8 compiles a function again and again if it gets items with
 * many different names.
 */
import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

type Json = Record<string, unknown>;
type Item = Record<string, AttributeValue>;
type Convert = (attributes: never) => Json;

/** Returns the input of an operation as DynamoDB's JSON. */
export function toDynamodbJson(input: Json, operation: string): string {
  const converted = convertFields(input, toAttributes);
  if (operation === 'TransactWriteItems') converted.ClientRequestToken ??= randomUUID();
  return JSON.stringify(converted);
}

/**
 * Converts an answer in DynamoDB's JSON.
 * @param isError whether it is an error. The items in errors stay attribute values, and only their bytes are decoded.
 */
export function fromDynamodbJson(json: Json, isError: boolean): Json {
  if (!isError) return convertFields(json, fromAttributes);
  const { Item: item, CancellationReasons: reasons } = json as {
    Item?: Item;
    CancellationReasons?: { Item?: Item }[];
  };
  for (const found of [item, ...(reasons ?? []).map((reason) => reason.Item)]) if (found) decodeItem(found);
  return json;
}

/** Converts all attributes in an input, an output, or an action of a transaction or a batch. Leaves other fields as they are. */
function convertFields(fields: Json, convert: Convert): Json {
  const converted: Json = {};
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    converted[name] = field ? convertField(name, field as never, convert) : field;
  }
  return converted;
}

function convertField(name: string, field: never, convert: Convert): unknown {
  switch (name) {
    case 'Key':
    case 'Item':
    case 'ExpressionAttributeValues':
    case 'ExclusiveStartKey':
    case 'Attributes':
    case 'LastEvaluatedKey':
      return convert(field);
    case 'Items':
      return (field as never[]).map(convert);
    case 'TransactItems':
      return (field as Json[]).map((action) => convertEach(action, convert));
    case 'RequestItems':
    case 'UnprocessedItems':
    case 'UnprocessedKeys':
      return mapValues(field, (table) => convertTable(table, convert));
    case 'Responses':
      if (Array.isArray(field))
        return (field as (Json | null)[]).map((one) => convertFields(one ?? {}, convert));
      return mapValues(field, (items) => (items as never[]).map(convert));
    default:
      return field;
  }
}

/** Converts what a batch wants from one table: a list of writes, or keys. */
function convertTable(table: unknown, convert: Convert): unknown {
  if (Array.isArray(table)) return table.map((write) => convertEach(write, convert));
  return { ...(table as Json), Keys: (table as { Keys: never[] }).Keys.map(convert) };
}

const convertEach = (action: Json, convert: Convert) =>
  mapValues(action, (fields) => fields && convertFields(fields as Json, convert));

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  const mapped: Json = {};
  for (const name of Object.keys(object)) mapped[name] = map(object[name]);
  return mapped;
}

/** Returns attributes in DynamoDB's JSON. As with the SDK, undefined values and functions are left out. */
function toAttributes(attributes: Readonly<Record<string, unknown>>): Json {
  const converted: Json = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (isStored(value)) converted[name] = toAttribute(value);
  }
  return converted;
}

const isStored = (value: unknown) => value !== undefined && typeof value !== 'function';

/** @throws the error of the SDK if the value cannot be stored */
function toAttribute(value: unknown): unknown {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter(isStored).map(toAttribute) };
  if (ArrayBuffer.isView(value)) return { B: encodeBytes(value) };
  if (value instanceof Set) return toSet([...value].filter(isStored), value);
  if (value instanceof Map) return { M: toAttributes(Object.fromEntries(value)) };
  if (isPlainObject(value)) return { M: toAttributes(value) };
  return convertToAttr(value as never);
}

function toSet(members: readonly unknown[], set: ReadonlySet<unknown>): unknown {
  if (typeof members[0] === 'string') return { SS: members };
  if (ArrayBuffer.isView(members[0])) return { BS: (members as ArrayBufferView[]).map(encodeBytes) };
  return convertToAttr(set as never, { removeUndefinedValues: true });
}

function isPlainObject(value: unknown): value is Json {
  const prototype = typeof value === 'object' && Object.getPrototypeOf(value);
  // Objects of another realm have another prototype with the same name.
  return prototype === null || (prototype && prototype.constructor?.name === 'Object');
}

function encodeBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** An attribute value in DynamoDB's JSON: an object with one of these fields. */
interface WireValue {
  S?: string;
  N?: string;
  B?: unknown;
  BOOL?: boolean;
  NULL?: boolean;
  M?: Record<string, AttributeValue>;
  L?: WireValue[];
  SS?: string[];
  BS?: unknown[];
}

function fromAttributes(item: Readonly<Record<string, WireValue>>): Json {
  const attributes: Json = {};
  for (const name of Object.keys(item)) attributes[name] = fromAttribute(item[name] as WireValue);
  return attributes;
}

function fromAttribute(value: WireValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return fromNumber(value as AttributeValue.NMember);
  if (value.B !== undefined) return decodeBytes(value.B);
  if (value.M) return fromAttributes(value.M as never);
  if (value.L) return value.L.map(fromAttribute);
  if (value.BS) return new Set(value.BS.map(decodeBytes));
  return convertToNative(value as never);
}

function fromNumber(value: AttributeValue.NMember): unknown {
  const number = Number(value.N);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : convertToNative(value);
}

/** Decodes the bytes of all attributes, in place. */
export function decodeItem<T extends Record<string, AttributeValue>>(item: T): T {
  for (const name of Object.keys(item)) decodeValue(item[name] as unknown as WireValue);
  return item;
}

function decodeValue(value: WireValue): void {
  if (value.B !== undefined) value.B = decodeBytes(value.B);
  else if (value.BS) value.BS = value.BS.map(decodeBytes);
  else if (value.M) decodeItem(value.M);
  else if (value.L) value.L.forEach(decodeValue);
}

function decodeBytes(text: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(String(text), 'base64');
  return new Uint8Array(buffer, byteOffset, byteLength);
}
