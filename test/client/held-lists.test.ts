/** Tests that the client holds a list still while it reads it, against a list that changes between two pages. */
import { describe, expect, test } from '@jest/globals';
import { type InvoiceListParams, Remit } from '../../client/src/remit.ts';
import { readAll } from './client-fixture.ts';

interface Item {
  readonly id: string;
  readonly createdAt: string;
}

/** A list of the service: newest first by number, with the filter `createdTo`. `beforePage` changes it between two requests. */
class FakeList {
  readonly items: Item[] = [];
  readonly queries: Record<string, string>[] = [];
  beforePage: (page: number) => void = () => {};

  add(createdAt: number): string {
    const id = `inv_${this.items.length}`;
    this.items.unshift({ id, createdAt: new Date(createdAt).toISOString() });
    return id;
  }

  readonly fetch: typeof fetch = async (input) => {
    this.beforePage(this.queries.length);
    const query = Object.fromEntries(new URL(String(input)).searchParams);
    this.queries.push(query);
    const end = query.createdTo === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.createdTo);
    const matching = this.items.filter(({ createdAt }) => Date.parse(createdAt) <= end);
    const offset = Number(query.offset);
    const data = matching.slice(offset, offset + Number(query.limit));
    const total = matching.length;
    return Response.json({ data, pagination: { total, hasMore: offset + data.length < total } });
  };

  readonly client = new Remit({
    apiKey: 'sk_test_1',
    baseUrl: 'https://remit.example.com',
    fetch: this.fetch,
  });
}

const start = Date.parse('2026-11-23T10:00:00.000Z');
const minute = 60_000;

/** Returns the list with items of these times, oldest first, and their IDs as a list returns them. */
function listOf(times: readonly number[]) {
  const list = new FakeList();
  const ids = times.map((time) => list.add(time)).reverse();
  return { list, ids };
}

const idsOf = async (items: AsyncIterable<{ readonly id: string }>) =>
  (await readAll(items)).map(({ id }) => id);

describe('a list that the client holds still', () => {
  test('ends two minutes after the newest item of its first page, and its pages do not overlap', async () => {
    const { list, ids } = listOf([0, 1, 2, 3, 4].map((hour) => start + hour * 60 * minute));
    list.beforePage = (page) => page > 0 && list.add(start + 5 * 60 * minute);
    expect(await idsOf(list.client.invoices.list({ limit: 2, currency: 'BTN' }))).toEqual(ids);
    const end = { createdTo: '2026-11-23T14:02:00.000Z', currency: 'BTN' };
    expect(list.queries).toEqual([
      { limit: '2', offset: '0', currency: 'BTN' },
      { limit: '2', offset: '2', ...end },
      { limit: '2', offset: '4', ...end },
    ]);
  });

  test.each(['invoices', 'payments', 'refunds'] as const)('is one of %s', async (resource) => {
    const { list, ids } = listOf([start, start, start]);
    list.beforePage = (page) => page > 0 && list.add(start + 60 * minute);
    expect(await idsOf(list.client[resource].list({ limit: 1 }))).toEqual(ids);
    expect(list.queries.map(({ createdTo }) => createdTo)).toEqual([
      undefined,
      '2026-11-23T10:02:00.000Z',
      '2026-11-23T10:02:00.000Z',
    ]);
  });

  test('has each item once, although others get the same millisecond, or follow within the two minutes', async () => {
    for (const delay of [0, 1, minute]) {
      const { list, ids } = listOf([start, start, start, start, start, start, start]);
      list.beforePage = (page) => page % 2 === 1 && list.add(start + delay);
      expect(await idsOf(list.client.invoices.list({ limit: 2 }))).toEqual(ids);
    }
  });

  test('has items that are newer than the whole first page, because their requests took longer', async () => {
    const { list, ids } = listOf([start, start + minute, start + 2 * minute, start]);
    list.beforePage = (page) => page > 0 && list.add(start + 60 * minute);
    expect(await idsOf(list.client.invoices.list({ limit: 1 }))).toEqual(ids);
  });

  test('has items of a clock that was ahead of the first page, by pages that overlap', async () => {
    const { list, ids } = listOf([
      start,
      start + 900 * minute,
      start + 901 * minute,
      start,
      start + 1,
      start + 2,
    ]);
    list.beforePage = (page) => page === 4 && list.add(start + 3);
    expect(await idsOf(list.client.payments.list({ limit: 2 }))).toEqual(ids);
    expect(list.queries.at(1)).toHaveProperty('createdTo');
    expect(list.queries.at(-1)).not.toHaveProperty('createdTo');
  });

  test('has every item that stays, although one that was read leaves the list', async () => {
    const { list, ids } = listOf([1, 2, 3, 4, 5, 6, 7].map((each) => start + each));
    list.beforePage = (page) => page === 1 && list.items.shift();
    expect(await idsOf(list.client.invoices.list({ limit: 2 }))).toEqual(ids);
  });

  test('has an unlimited number of new items in front of it without becoming longer', async () => {
    const { list, ids } = listOf(Array.from({ length: 20 }, (_, each) => start + each));
    list.beforePage = (page) => {
      for (let count = 0; page > 0 && count < 50; count += 1) list.add(start + 10 * minute);
    };
    expect(await idsOf(list.client.invoices.list({ limit: 5 }))).toEqual(ids);
    expect(list.queries).toHaveLength(4);
  });
});

describe('a list that the client does not hold still', () => {
  test.each<[string, InvoiceListParams, string | undefined]>([
    ['a list with the end that the caller wants', { createdTo: '2027-01-01' }, '2027-01-01'],
    ['a list from an offset on', { offset: 1 }, undefined],
    ['a list of a status, which items leave', { status: 'pending' }, undefined],
  ])('is %s', async (_, query, createdTo) => {
    const { list, ids } = listOf([1, 2, 3, 4, 5, 6, 7].map((each) => start + each));
    list.beforePage = (page) => page === 1 && list.add(start + minute);
    expect(await idsOf(list.client.invoices.list({ limit: 3, ...query }))).toEqual(ids.slice(query.offset));
    expect(new Set(list.queries.map((each) => each.createdTo))).toEqual(new Set([createdTo]));
  });

  test.each(['customers', 'webhooks', 'keys'] as const)('is one of %s', async (resource) => {
    const { list, ids } = listOf([start, start, start, start]);
    list.beforePage = (page) => page === 1 && list.add(start + minute);
    expect(await idsOf(list.client[resource].list({ limit: 2 }))).toEqual(ids);
    expect(list.queries.every((query) => query.createdTo === undefined)).toBe(true);
  });
});
