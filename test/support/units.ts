/**
 * Capacity units of the service's calls, counted by DynamoDB's published rules from the sizes of the items that they
 * touch: what the emulator reports of transactions is wrong, and it knows nothing of what a call cost per item.
 */
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { intercept } from './faults.ts';
import { readAnswer, type WireAnswer, withBody } from './wire-call.ts';

/** An item as it goes over the wire, or as the SDK's plain client shows it: bytes are base64 there, an array here. */
export type WireItem = Readonly<Record<string, object>>;

/** One call, and what it cost. */
export interface CountedCall {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  readonly write: number;
  readonly read: number;
  /** For each item that it touched, in the order of the request or answer: the beginning of its key, and its bytes. */
  readonly items: readonly { readonly kind: string; readonly bytes: number }[];
}

export interface UnitCounter {
  /** The calls that have ended since it was last asked. */
  take(): CountedCall[];
  remove(): void;
}

/** The size of an item: attribute names and values. */
export function sizeOf(item: WireItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8(name) + valueSize(value), 0);
}

/** Units of writing an item of that size, of which the greater of before and after counts. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));
/** Units of a strongly consistent read of so many bytes. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));

export const sumOf = (calls: readonly CountedCall[], unit: 'write' | 'read'): number =>
  calls.reduce((sum, call) => sum + call[unit], 0);

const utf8 = (text: string) => Buffer.byteLength(text);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Lists and maps take 3 bytes, and 1 more for each element; sets are as long as what is in them. */
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
  throw new Error(`There is no attribute type ${type}.`);
}

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.byteLength(content, 'base64') : content.length;

/** Two significant digits to the byte, counted in pairs from the decimal point, 1 more, and 1 for a minus sign. */
function numberSize(text: string): number {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const even = whole.padStart(whole.length + (whole.length % 2), '0') + fraction;
  const pairs = (even.padEnd(even.length + (even.length % 2), '0').match(/../g) ?? []).join(' ');
  const significant = pairs.replace(/^(00 ?)+/, '').replace(/( ?00)+$/, '');
  return Math.ceil(significant.length / 3) + 1 + (text.startsWith('-') ? 1 : 0);
}

/** Counts every call of the service's client from now on. It looks at items before and after they are written. */
export function countUnits({ dynamodbEndpoint }: Pick<Stack, 'dynamodbEndpoint'>): UnitCounter {
  const client = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const bytesAt = async ({ table, key }: Place) => {
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: table,
        Key: key as Record<string, AttributeValue>,
        ConsistentRead: true,
      }),
    );
    return Item ? sizeOf(Item as unknown as WireItem) : 0;
  };
  const calls: CountedCall[] = [];
  const interception = intercept(async ({ operation, body }, send) => {
    const input = JSON.parse(body) as Input;
    const places = writtenPlaces(input, operation);
    const before = await Promise.all(places.map(bytesAt));
    const answer = (await send()) as unknown as WireAnswer;
    const text = await readAnswer(answer);
    const after = await Promise.all(places.map(bytesAt));
    const written = places.map(({ key }, index) => ({
      kind: kindOf(key),
      bytes: Math.max(before[index] ?? 0, after[index] ?? 0),
    }));
    calls.push(costOf(operation, input, written, JSON.parse(text) as Answer));
    return withBody(answer, text) as unknown as Awaited<ReturnType<typeof send>>;
  });
  return {
    take: () => calls.splice(0),
    remove: () => {
      interception.remove();
      client.destroy();
    },
  };
}

type Touched = CountedCall['items'][number];

interface Place {
  readonly table: string;
  readonly key: WireItem;
}

interface Action {
  readonly TableName: string;
  readonly Key?: WireItem;
  readonly Item?: WireItem;
}

interface Input extends Action {
  readonly TransactItems?: readonly Readonly<Record<string, Action>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly WireItem[] }>>;
}

interface Answer {
  readonly Item?: WireItem;
  readonly Items?: readonly WireItem[];
  readonly Responses?:
    | readonly { readonly Item?: WireItem }[]
    | Readonly<Record<string, readonly WireItem[]>>;
}

/** The items that a call writes, or checks in a writing transaction, which costs as much. */
function writtenPlaces(input: Input, operation: string): Place[] {
  if (/^(Put|Update|Delete)Item$/.test(operation)) return [placeOf(input)];
  if (operation !== 'TransactWriteItems') return [];
  return (input.TransactItems ?? []).flatMap((action) => Object.values(action).map(placeOf));
}

function placeOf({ TableName: table, Key, Item }: Action): Place {
  const { pk, sk } = (Key ?? Item) as { pk: object; sk: object };
  return { table, key: { pk, sk } };
}

const kindOf = ({ pk }: WireItem) => /^[A-Za-z]+/.exec(String((pk as { S?: string }).S))?.[0] ?? '';

function costOf(operation: string, input: Input, written: readonly Touched[], answer: Answer): CountedCall {
  const touched = (item: WireItem) => ({ kind: kindOf(item), bytes: sizeOf(item) });
  const perItem = (items: readonly Touched[], units: (bytes: number) => number, times = 1) =>
    times * sum(items.map(({ bytes }) => units(bytes)));
  if (operation === 'TransactWriteItems') {
    return { operation, write: perItem(written, writeUnits, 2), read: 0, items: written };
  }
  if (written.length > 0) return { operation, write: perItem(written, writeUnits), read: 0, items: written };
  const items = (answer.Items ?? itemsOf(answer)).map(touched);
  if (operation === 'Query')
    return { operation, write: 0, read: readUnits(sum(items.map(({ bytes }) => bytes))), items };
  // A key without an item is a read of one unit, too.
  const missing = keyCount(input, operation) - items.length;
  const times = operation === 'TransactGetItems' ? 2 : 1;
  return { operation, write: 0, read: perItem(items, readUnits, times) + times * missing, items };
}

function itemsOf({ Item, Responses = [] }: Answer): WireItem[] {
  if (Item) return [Item];
  if (Array.isArray(Responses)) return Responses.flatMap(({ Item: item }) => item ?? []);
  return Object.values(Responses).flat();
}

function keyCount({ RequestItems, TransactItems }: Input, operation: string): number {
  if (operation === 'BatchGetItem')
    return sum(Object.values(RequestItems ?? {}).map(({ Keys }) => Keys.length));
  return operation === 'TransactGetItems' ? (TransactItems?.length ?? 0) : 1;
}
