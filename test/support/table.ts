/** Reads and writes the table of a test's stack directly, with a client of its own. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { type Key, outboxPartitionOf } from '../../shared/store/keys.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read items of every shape
export type TestItem = Record<string, any>;

export interface TestTable {
  get(key: Key): Promise<TestItem | undefined>;
  /** Returns the write units that the call consumed. */
  put(item: TestItem): Promise<number>;
  /** Writes any number of items. */
  putAll(items: readonly TestItem[]): Promise<void>;
  delete(key: Key): Promise<void>;
  /** Returns the timers of a record, as the table stores them. */
  timersOf(reference: string): Promise<TestItem[]>;
  /** Returns the outbox items of `account#mode`. Needs one query only, so tests can poll it. */
  outboxOf(owner: string): Promise<TestItem[]>;
  /** Returns the items of a partition, in the order of their sort keys. */
  partition(pk: string): Promise<TestItem[]>;
  /** Returns all items whose partition key starts with `prefix`, ordered by partition and sort key. */
  all(prefix: string): Promise<TestItem[]>;
  /**
   * Returns what `all` returns for several prefixes, at one moment. Returns undefined if the table is larger than a page, because the
   * pages of a scan show several moments.
   */
  allAtOnce(prefixes: readonly string[]): Promise<TestItem[] | undefined>;
}

const byKey = (a: TestItem, b: TestItem) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1);

/**
 * Lets calls that wait for the same scan share it. Each of them gets what the table contains after it was called. A scan reads the
 * whole table, and tests of crashes call it beside each other.
 */
function shareScans(scan: (prefix: string) => Promise<TestItem[]>): (prefix: string) => Promise<TestItem[]> {
  const last = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<TestItem[]>>();
  const begin = (prefix: string) => {
    const next = (last.get(prefix) ?? Promise.resolve()).then(() => {
      waiting.delete(prefix);
      return scan(prefix);
    });
    waiting.set(prefix, next);
    const ended = next.catch(() => {});
    last.set(prefix, ended);
    return next;
  };
  return async (prefix) => [...(await (waiting.get(prefix) ?? begin(prefix)))];
}

export function tableOf({
  dynamodbEndpoint,
  tableName,
}: Pick<Stack, 'dynamodbEndpoint' | 'tableName'>): TestTable {
  const client = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const TableName = tableName;
  const readPage = (prefixes: readonly string[], start: TestItem | undefined) =>
    documents.send(
      new ScanCommand({
        TableName,
        ConsistentRead: true,
        FilterExpression: prefixes.map((_, index) => `begins_with(pk, :p${index})`).join(' OR '),
        ExpressionAttributeValues: Object.fromEntries(
          prefixes.map((prefix, index) => [`:p${index}`, prefix]),
        ),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
  const scan = async (prefix: string) => {
    const found: TestItem[] = [];
    let start: TestItem | undefined;
    do {
      const page = await readPage([prefix], start);
      found.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start);
    return found.sort(byKey);
  };
  const all = shareScans(scan);
  const partition = async (pk: string) => {
    const found: TestItem[] = [];
    let start: TestItem | undefined;
    do {
      const query = new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      });
      const page = await documents.send(query);
      found.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start);
    return found;
  };
  return {
    all,
    partition,
    allAtOnce: async (prefixes) => {
      const { Items = [], LastEvaluatedKey } = await readPage(prefixes, undefined);
      return LastEvaluatedKey ? undefined : Items.sort(byKey);
    },
    timersOf: async (id) => (await all('TIMER#')).filter(({ reference }) => reference === id),
    get: async (Key) =>
      (await documents.send(new GetCommand({ TableName, Key: { ...Key }, ConsistentRead: true }))).Item,
    put: async (Item) => {
      const put = new PutCommand({ TableName, Item, ReturnConsumedCapacity: 'TOTAL' });
      return (await documents.send(put)).ConsumedCapacity?.CapacityUnits ?? 0;
    },
    putAll: async (items) => {
      const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, batch) =>
        items.slice(batch * 25, batch * 25 + 25).map((Item) => ({ PutRequest: { Item } })),
      );
      const write = async () => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: batch } }));
        }
      };
      await Promise.all([write(), write(), write(), write()]);
    },
    delete: async ({ pk, sk }) =>
      void (await documents.send(new DeleteCommand({ TableName, Key: { pk, sk } }))),
    outboxOf: async (owner) => {
      const [account = ''] = owner.split('#');
      return (await partition(outboxPartitionOf(account))).filter((item) =>
        `${item.account}#${item.mode}`.includes(owner),
      );
    },
  };
}
