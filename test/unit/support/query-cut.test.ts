/** Queries that are cut where DynamoDB cuts them: by what they evaluate, before the filter. */
import { randomBytes } from 'node:crypto';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FaultStand, startFaultStand } from '../../support/fault-stand.ts';

const kib = 1024;
/** Forty items of 50 KiB are 2 MB, of which the first MB ends with the 21st item, in either direction. */
const count = 40;
const numbers = Array.from({ length: count }, (_, n) => n);

let stand: FaultStand;

beforeAll(async () => {
  stand = await startFaultStand();
  const text = randomBytes(25 * kib).toString('hex');
  await stand.table.putAll(numbers.map((n) => ({ pk: 'large', sk: sortKey(n), n, text })));
  await stand.table.putAll(
    numbers.map((n) => ({ pk: 'small', sk: sortKey(n), n, kind: `k${n % 2}`, label: sortKey(n) })),
  );
});
beforeEach(() => stand.layer.setPlan({ seed: 1 }));
afterAll(() => stand.close());

const sortKey = (n: number) => String(n).padStart(3, '0');

interface Page {
  readonly numbers: number[];
  readonly last: number | undefined;
  readonly count: number | undefined;
}

/** One page of a partition, by an invocation of its own. */
async function query(pk: string, more: Partial<QueryCommandInput> = {}): Promise<Page> {
  const { ExpressionAttributeValues, ...rest } = more;
  const input: QueryCommandInput = {
    TableName: stand.stack.tableName,
    KeyConditionExpression: 'pk = :pk',
    ...{ ConsistentRead: true, ...rest },
    ExpressionAttributeValues: { ':pk': pk, ...ExpressionAttributeValues },
  };
  const pages: Page[] = [];
  const { endings } = await stand.invoke('query', async () => {
    const { Items = [], LastEvaluatedKey, Count } = await stand.once.send(new QueryCommand(input));
    const last = LastEvaluatedKey && Number(LastEvaluatedKey.sk);
    pages.push({ numbers: Items.map(({ n }) => n), last, count: Count });
  });
  expect(endings).toEqual(['done']);
  return pages[0] as Page;
}

/** Pages from the beginning to the end. */
async function queryAll(pk: string, more: Partial<QueryCommandInput> = {}): Promise<Page[]> {
  const pages = [await query(pk, more)];
  for (let last = pages[0]?.last; last !== undefined; last = pages.at(-1)?.last) {
    pages.push(await query(pk, { ...more, ExclusiveStartKey: { pk, sk: sortKey(last) } }));
    if (pages.length > 2 * count) throw new Error('The pages have no end.');
  }
  return pages;
}

const only = (n: number): Partial<QueryCommandInput> => ({
  ...{ FilterExpression: '#n = :n', ExpressionAttributeNames: { '#n': 'n' } },
  ExpressionAttributeValues: { ':n': n },
});

test('a filtered query of more than 1 MB may show nothing on its first page, and says where it goes on', async () => {
  expect(await queryAll('large', only(39))).toEqual([
    { numbers: [], last: 20, count: 0 },
    { numbers: [39], last: undefined, count: 1 },
  ]);
});

test('what matches before the cut is on the page that is cut', async () => {
  expect(await query('large', only(3))).toEqual({ numbers: [3], last: 20, count: 1 });
});

test('backwards, the first MB is that of the last items', async () => {
  const backwards = { ...only(0), ScanIndexForward: false };
  expect(await queryAll('large', backwards)).toEqual([
    { numbers: [], last: 19, count: 0 },
    { numbers: [0], last: undefined, count: 1 },
  ]);
});

test('an unfiltered query ends with the item that reaches 1 MB, and goes on behind it', async () => {
  const pages = await queryAll('large');
  expect(pages.map(({ numbers }) => numbers)).toEqual([numbers.slice(0, 21), numbers.slice(21)]);
});

test('a query of less than 1 MB is whole, with a filter or without', async () => {
  expect(await query('small')).toEqual({ numbers, last: undefined, count });
  const whole = await query('small', only(39));
  expect(whole).toEqual({ numbers: [39], last: undefined, count: 1 });
});

test('a lower cut gives small tables many pages, with the same items in the same order', async () => {
  stand.layer.setPlan({ seed: 1, cutBytes: 100 });
  const pages = await queryAll('small');
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.flatMap(({ numbers }) => numbers)).toEqual(numbers);
  expect(pages.every((page) => page.count === page.numbers.length)).toBe(true);
  const odd = { ...only(0), FilterExpression: 'kind = :n AND #n >= :least' };
  const filtered = await queryAll('small', {
    ...odd,
    ExpressionAttributeValues: { ':n': 'k1', ':least': 30 },
  });
  expect(filtered.flatMap(({ numbers }) => numbers)).toEqual([31, 33, 35, 37, 39]);
  expect(filtered[0]).toMatchObject({ numbers: [], last: expect.any(Number) });
  expect(filtered.length).toBeGreaterThan(5);
});

test('a filter may share values with the key condition, and have names that begin like its names', async () => {
  stand.layer.setPlan({ seed: 1, cutBytes: 100 });
  const pages = await queryAll('small', {
    KeyConditionExpression: 'pk = :pk AND #sk >= :le',
    FilterExpression: '#s >= :le AND #n <= :least',
    ExpressionAttributeNames: { '#sk': 'sk', '#s': 'label', '#n': 'n' },
    ExpressionAttributeValues: { ':le': sortKey(10), ':least': 12 },
  });
  expect(pages.flatMap(({ numbers }) => numbers)).toEqual([10, 11, 12]);
});

test('a limit below the cut stays what it is', async () => {
  expect(await query('large', { Limit: 5 })).toEqual({ numbers: [0, 1, 2, 3, 4], last: 4, count: 5 });
  expect(await query('large', { ...only(4), Limit: 5 })).toEqual({ numbers: [4], last: 4, count: 1 });
});

test('a query that DynamoDB refuses is refused', async () => {
  const refused = query('small', { FilterExpression: '#nothing = :nothing' });
  await expect(refused).rejects.toThrow('ValidationException');
});
