/** Tests that a query page ends where DynamoDB ends it: by the items that it evaluates, before the filter. */
import { randomBytes } from 'node:crypto';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FaultTestStack, startFaultTestStack } from '../../support/fault-test-stack.ts';

const kib = 1024;
/** Forty items of 50 KiB are 2 MB. The first MB ends with the 21st item, in both directions. */
const count = 40;
const numbers = Array.from({ length: count }, (_, n) => n);

let faultStack: FaultTestStack;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
  const text = randomBytes(25 * kib).toString('hex');
  await faultStack.table.putAll(numbers.map((n) => ({ pk: 'large', sk: sortKey(n), n, text })));
  await faultStack.table.putAll(
    numbers.map((n) => ({ pk: 'small', sk: sortKey(n), n, kind: `k${n % 2}`, label: sortKey(n) })),
  );
});
beforeEach(() => faultStack.layer.setPlan({ seed: 1 }));
afterAll(() => faultStack.close());

const sortKey = (n: number) => String(n).padStart(3, '0');

interface Page {
  readonly numbers: number[];
  readonly last: number | undefined;
  readonly count: number | undefined;
}

/** Reads one page of a partition, in an invocation of its own. */
async function query(pk: string, more: Partial<QueryCommandInput> = {}): Promise<Page> {
  const { ExpressionAttributeValues, ...rest } = more;
  const input: QueryCommandInput = {
    TableName: faultStack.stack.tableName,
    KeyConditionExpression: 'pk = :pk',
    ConsistentRead: true,
    ...rest,
    ExpressionAttributeValues: { ':pk': pk, ...ExpressionAttributeValues },
  };
  const pages: Page[] = [];
  const { outcomes } = await faultStack.invoke('query', async () => {
    const {
      Items = [],
      LastEvaluatedKey,
      Count,
    } = await faultStack.singleAttemptClient.send(new QueryCommand(input));
    const last = LastEvaluatedKey && Number(LastEvaluatedKey.sk);
    pages.push({ numbers: Items.map(({ n }) => n), last, count: Count });
  });
  expect(outcomes).toEqual(['done']);
  return pages[0] as Page;
}

/** Reads all pages of a partition. */
async function queryAll(pk: string, more: Partial<QueryCommandInput> = {}): Promise<Page[]> {
  const pages = [await query(pk, more)];
  for (let last = pages[0]?.last; last !== undefined; last = pages.at(-1)?.last) {
    pages.push(await query(pk, { ...more, ExclusiveStartKey: { pk, sk: sortKey(last) } }));
    if (pages.length > 2 * count) throw new Error('There are more pages than items.');
  }
  return pages;
}

const only = (n: number): Partial<QueryCommandInput> => ({
  FilterExpression: '#n = :n',
  ExpressionAttributeNames: { '#n': 'n' },
  ExpressionAttributeValues: { ':n': n },
});

test('a filtered query of more than 1 MB may have an empty first page with a start key for the next one', async () => {
  expect(await queryAll('large', only(39))).toEqual([
    { numbers: [], last: 20, count: 0 },
    { numbers: [39], last: undefined, count: 1 },
  ]);
});

test('a match within the first MB is on the first page', async () => {
  expect(await query('large', only(3))).toEqual({ numbers: [3], last: 20, count: 1 });
});

test('a backward query reads the last items first', async () => {
  const backwards = { ...only(0), ScanIndexForward: false };
  expect(await queryAll('large', backwards)).toEqual([
    { numbers: [], last: 19, count: 0 },
    { numbers: [0], last: undefined, count: 1 },
  ]);
});

test('a page of an unfiltered query ends with the item that reaches 1 MB, and the next page starts after it', async () => {
  const pages = await queryAll('large');
  expect(pages.map(({ numbers }) => numbers)).toEqual([numbers.slice(0, 21), numbers.slice(21)]);
});

test('a query of less than 1 MB has one page, with and without a filter', async () => {
  expect(await query('small')).toEqual({ numbers, last: undefined, count });
  const filtered = await query('small', only(39));
  expect(filtered).toEqual({ numbers: [39], last: undefined, count: 1 });
});

test('a lower limit gives small tables many pages with the same items in the same order', async () => {
  faultStack.layer.setPlan({ seed: 1, queryPageBytes: 100 });
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

test('a filter may share values with the key condition and have names with the same prefix', async () => {
  faultStack.layer.setPlan({ seed: 1, queryPageBytes: 100 });
  const pages = await queryAll('small', {
    KeyConditionExpression: 'pk = :pk AND #sk >= :le',
    FilterExpression: '#s >= :le AND #n <= :least',
    ExpressionAttributeNames: { '#sk': 'sk', '#s': 'label', '#n': 'n' },
    ExpressionAttributeValues: { ':le': sortKey(10), ':least': 12 },
  });
  expect(pages.flatMap(({ numbers }) => numbers)).toEqual([10, 11, 12]);
});

test('a lower Limit of the query itself still applies', async () => {
  expect(await query('large', { Limit: 5 })).toEqual({ numbers: [0, 1, 2, 3, 4], last: 4, count: 5 });
  expect(await query('large', { ...only(4), Limit: 5 })).toEqual({ numbers: [4], last: 4, count: 1 });
});

test('an error of DynamoDB reaches the caller', async () => {
  const refused = query('small', { FilterExpression: '#nothing = :nothing' });
  await expect(refused).rejects.toThrow('ValidationException');
});
