/**
 * Converts the inputs and outputs of the SDK's document commands to DynamoDB's JSON and back, as the SDK does it. Covers the
 * parameters that DynamoDB recommends, and not those that it keeps for old programs, such as `KeyConditions`.
 */
import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

type Json = Record<string, unknown>;
type Item = Record<string, AttributeValue>;
type Convert = (attributes: never) => Json;

/** The fields that contain attributes: of an input, of an output, and of an action in a transaction or a batch. */
const attributeFields = [
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'Attributes',
  'LastEvaluatedKey',
];

/** Returns the input of an operation as DynamoDB's JSON. */
export function toDynamodbJson(input: Json, operation: string): string {
  const toAttributes = (attributes: Json) => marshall(attributes, { removeUndefinedValues: true });
  const converted = convertFields(input, toAttributes);
  if (operation === 'TransactWriteItems') converted.ClientRequestToken ??= randomUUID();
  return JSON.stringify(converted, encodeBytes);
}

/**
 * Converts an answer in DynamoDB's JSON.
 * @param isError whether it is an error. The items in errors stay attribute values, and only their bytes are decoded.
 */
export function fromDynamodbJson(json: Json, isError: boolean): Json {
  const toItem = (item: Item) => unmarshall(decodeItem(item));
  if (!isError) return convertFields(json, toItem);
  const { Item: item, CancellationReasons: reasons } = json as {
    Item?: Item;
    CancellationReasons?: { Item?: Item }[];
  };
  for (const found of [item, ...(reasons ?? []).map((reason) => reason.Item)]) if (found) decodeItem(found);
  return json;
}

/** Converts all attributes in an input or an output. Leaves other fields as they are. */
function convertFields(fields: Json, convert: Convert): Json {
  const converted: Json = { ...fields };
  for (const name of attributeFields) {
    if (fields[name]) converted[name] = convert(fields[name] as never);
  }
  const { Items, TransactItems, RequestItems, Responses, UnprocessedItems, UnprocessedKeys } = fields;
  if (Items) converted.Items = (Items as never[]).map(convert);
  if (TransactItems)
    converted.TransactItems = (TransactItems as Json[]).map((one) => convertEach(one, convert));
  const batches = { RequestItems, UnprocessedItems, UnprocessedKeys };
  for (const [name, batch] of Object.entries(batches)) {
    if (batch) converted[name] = mapValues(batch as Json, (table) => convertTable(table, convert));
  }
  if (Array.isArray(Responses))
    converted.Responses = Responses.map((one) => convertFields(one ?? {}, convert));
  else if (Responses)
    converted.Responses = mapValues(Responses as Json, (items) => (items as never[]).map(convert));
  return converted;
}

/** Converts what a batch wants from one table: a list of writes, or keys. */
function convertTable(table: unknown, convert: Convert): unknown {
  if (Array.isArray(table)) return table.map((write) => convertEach(write, convert));
  return { ...(table as Json), Keys: (table as { Keys: never[] }).Keys.map(convert) };
}

const convertEach = (action: Json, convert: Convert) =>
  mapValues(action, (fields) => fields && convertFields(fields as Json, convert));

const mapValues = (object: Json, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

/** Encodes bytes as base64. `JSON.stringify` has already converted the value of a `Buffer`, so this looks at the original. */
function encodeBytes(this: Json, name: string, value: unknown): unknown {
  const original = this[name];
  if (!ArrayBuffer.isView(original)) return value;
  return Buffer.from(original.buffer, original.byteOffset, original.byteLength).toString('base64');
}

/** Decodes the bytes of all attributes, in place. */
export function decodeItem<T extends Record<string, AttributeValue>>(item: T): T {
  for (const name in item) decodeValue(item[name] as unknown as WireValue);
  return item;
}

interface WireValue {
  B?: unknown;
  BS?: unknown[];
  M?: Record<string, AttributeValue>;
  L?: WireValue[];
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
