/**
 * Counts the capacity units of the service's calls by DynamoDB's published rules, from the sizes of the items that a
 * call touches. The emulator reports wrong units for transactions, and no units per item.
 */
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { interceptCalls } from './intercept-calls.ts';
import { readWireBody, type WireResponse, withBody } from './wire-call.ts';

/** An item in DynamoDB's JSON. Bytes are base64 text on the wire, and an array in the SDK's low-level client. */
export type AttributeMap = Readonly<Record<string, object>>;

/** One call with its capacity units. */
export interface CountedCall {
  /** For example `UpdateItem`. */
  readonly operation: string;
  readonly write: number;
  readonly read: number;
  /** The items that it touched, in the order of the request or response. `kind` is the start of the partition key. */
  readonly items: readonly { readonly kind: string; readonly bytes: number }[];
}

export interface UnitCounter {
  /** Returns the calls that have ended since the last `take()`. */
  take(): CountedCall[];
  remove(): void;
}

/** Returns the size of an item in bytes: its attribute names and values. */
export function sizeOf(item: AttributeMap): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8(name) + valueSize(value), 0);
}

/** Returns the units of writing an item. `bytes` is the larger one of its sizes before and after the write. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));
/** Returns the units of a strongly consistent read of that many bytes. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));

export const sumOf = (calls: readonly CountedCall[], unit: 'write' | 'read'): number =>
  calls.reduce((sum, call) => sum + call[unit], 0);

const utf8 = (text: string) => Buffer.byteLength(text);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Lists and maps take 3 bytes, and 1 more for each entry. Sets take as many bytes as their members. */
function valueSize(value: object): number {
  const [type, content] = Object.entries(value)[0] ?? [];
  if (type === 'S') return utf8(content);
  if (type === 'N') return numberSize(content);
  if (type === 'B') return bytesOf(content);
  if (type === 'BOOL' || type === 'NULL') return 1;
  if (type === 'M') return 3 + Object.keys(content).length + sizeOf(content);
  if (type === 'L') return 3 + content.length + sum(content.map(valueSize));
  if (type === 'SS') return sum(content.map(utf8));
  if (type === 'NS') return sum(content.map(numberSize));
  if (type === 'BS') return sum(content.map(bytesOf));
  throw new Error(`Unknown attribute type ${type}.`);
}

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.byteLength(content, 'base64') : content.length;

/**
 * A number takes 1 byte for each pair of significant digits, counted from the decimal point, 1 more byte, and 1 for a
 * minus sign.
 */
function numberSize(text: string): number {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const even = whole.padStart(whole.length + (whole.length % 2), '0') + fraction;
  const pairs = (even.padEnd(even.length + (even.length % 2), '0').match(/../g) ?? []).join(' ');
  const significant = pairs.replace(/^(00 ?)+/, '').replace(/( ?00)+$/, '');
  return Math.ceil(significant.length / 3) + 1 + (text.startsWith('-') ? 1 : 0);
}

/** Counts each call of the service's client from now on. Reads items before and after they are written. */
export function countUnits({ dynamodbEndpoint }: Pick<Stack, 'dynamodbEndpoint'>): UnitCounter {
  const client = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const bytesAt = async ({ table, key }: ItemLocation) => {
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: table,
        Key: key as Record<string, AttributeValue>,
        ConsistentRead: true,
      }),
    );
    return Item ? sizeOf(Item as unknown as AttributeMap) : 0;
  };
  const calls: CountedCall[] = [];
  const interception = interceptCalls(async ({ operation, body }, send) => {
    const input = JSON.parse(body) as Input;
    const locations = writtenItems(input, operation);
    const before = await Promise.all(locations.map(bytesAt));
    const response = (await send()) as unknown as WireResponse;
    const text = await readWireBody(response);
    const after = await Promise.all(locations.map(bytesAt));
    const written = locations.map(({ key }, index) => ({
      kind: kindOf(key),
      bytes: Math.max(before[index] ?? 0, after[index] ?? 0),
    }));
    calls.push(costOf(operation, input, written, JSON.parse(text) as Output));
    return withBody(response, text) as unknown as Awaited<ReturnType<typeof send>>;
  });
  return {
    take: () => calls.splice(0),
    remove: () => {
      interception.remove();
      client.destroy();
    },
  };
}

type TouchedItem = CountedCall['items'][number];

interface ItemLocation {
  readonly table: string;
  readonly key: AttributeMap;
}

interface Action {
  readonly TableName: string;
  readonly Key?: AttributeMap;
  readonly Item?: AttributeMap;
}

interface Input extends Action {
  readonly TransactItems?: readonly Readonly<Record<string, Action>>[];
  /** By table: the keys of `BatchGetItem`, or the writes of `BatchWriteItem`. */
  readonly RequestItems?: Readonly<
    Record<
      string,
      | { readonly Keys: readonly AttributeMap[]; readonly ConsistentRead?: boolean }
      | readonly Readonly<Record<string, Omit<Action, 'TableName'>>>[]
    >
  >;
}

interface Output {
  readonly Item?: AttributeMap;
  readonly Items?: readonly AttributeMap[];
  readonly Responses?:
    | readonly { readonly Item?: AttributeMap }[]
    | Readonly<Record<string, readonly AttributeMap[]>>;
}

/** Returns the items that a call writes or, in a write transaction, checks. Both cost the same. */
function writtenItems(input: Input, operation: string): ItemLocation[] {
  if (/^(Put|Update|Delete)Item$/.test(operation)) return [locationOf(input)];
  if (operation === 'BatchWriteItem') {
    return Object.entries(input.RequestItems ?? {}).flatMap(([TableName, writes]) =>
      'Keys' in writes
        ? []
        : writes.flatMap((write) => Object.values(write).map((each) => locationOf({ TableName, ...each }))),
    );
  }
  if (operation !== 'TransactWriteItems') return [];
  return (input.TransactItems ?? []).flatMap((action) => Object.values(action).map(locationOf));
}

function locationOf({ TableName: table, Key, Item }: Action): ItemLocation {
  const { pk, sk } = (Key ?? Item) as { pk: object; sk: object };
  return { table, key: { pk, sk } };
}

const kindOf = ({ pk }: AttributeMap) =>
  /^[A-Za-z]+/.exec(String((pk as { S?: string } | undefined)?.S))?.[0] ?? '';

function costOf(
  operation: string,
  input: Input,
  written: readonly TouchedItem[],
  output: Output,
): CountedCall {
  const touched = (item: AttributeMap) => ({ kind: kindOf(item), bytes: sizeOf(item) });
  const perItem = (items: readonly TouchedItem[], units: (bytes: number) => number, times = 1) =>
    times * sum(items.map(({ bytes }) => units(bytes)));
  if (operation === 'TransactWriteItems') {
    return { operation, write: perItem(written, writeUnits, 2), read: 0, items: written };
  }
  if (written.length > 0) return { operation, write: perItem(written, writeUnits), read: 0, items: written };
  const items = (output.Items ?? itemsOf(output)).map(touched);
  if (operation === 'Query')
    return { operation, write: 0, read: readUnits(sum(items.map(({ bytes }) => bytes))), items };
  // Reading a key without an item costs one unit, too.
  const missing = keyCount(input, operation) - items.length;
  const times = operation === 'TransactGetItems' ? 2 : isEventual(input, operation) ? 0.5 : 1;
  return { operation, write: 0, read: perItem(items, readUnits, times) + times * missing, items };
}

/** Whether a call reads a batch eventually consistent, which costs half. The service makes no other such reads. */
function isEventual({ RequestItems = {} }: Input, operation: string): boolean {
  if (operation !== 'BatchGetItem') return false;
  return Object.values(RequestItems).every((wanted) => 'Keys' in wanted && wanted.ConsistentRead !== true);
}

function itemsOf({ Item, Responses = [] }: Output): AttributeMap[] {
  if (Item) return [Item];
  if (Array.isArray(Responses)) return Responses.flatMap(({ Item: item }) => item ?? []);
  return Object.values(Responses).flat();
}

function keyCount({ RequestItems, TransactItems }: Input, operation: string): number {
  if (operation === 'BatchGetItem')
    return sum(
      Object.values(RequestItems ?? {}).map((wanted) => ('Keys' in wanted ? wanted.Keys.length : 0)),
    );
  return operation === 'TransactGetItems' ? (TransactItems?.length ?? 0) : 1;
}
