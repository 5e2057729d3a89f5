/** Tests lists of the client: one page or all items, also of lists that change while the client reads them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Invoice, Remit } from '../../client/src/remit.ts';
import { body, type ClientFixture, readAll, startClientFixture } from './client-fixture.ts';

let fixture: ClientFixture;
let remit: Remit;
let made: Invoice[];
beforeAll(async () => {
  fixture = await startClientFixture();
  remit = await fixture.createClient();
  made = [];
  for (let count = 0; count < 12; count += 1) made.unshift(await remit.invoices.create(body));
});
afterAll(() => fixture?.close());

describe('a list', () => {
  test('returns all items from its offset on, page by page', async () => {
    for (const limit of [1, 2, 3, 5, 11, 12, 13, 100]) {
      expect(await readAll(remit.invoices.list({ limit }))).toEqual(made);
      expect(await readAll(remit.invoices.list({ limit, offset: 4 }))).toEqual(made.slice(4));
    }
  });

  test('leaves out undefined parameters, and encodes every character of a filter', async () => {
    const customerId = 'a+b&c=d@example.bt';
    const other = await fixture.createClient();
    const { id } = await other.invoices.create({ ...body, customerId });
    const query = { customerId, status: undefined } as { customerId: string };
    expect((await other.invoices.list(query)).data).toMatchObject([{ id, customerId }]);
  });

  test('requests a page only when it is needed', async () => {
    fixture.proxy.setFaults();
    const list = remit.invoices.list({ limit: 5 });
    expect(fixture.proxy.requests).toHaveLength(0);
    for await (const invoice of list) if (invoice.id === made[4]?.id) break;
    expect(fixture.proxy.requests).toHaveLength(1);
    expect(await list).toBe(await list.page());
    expect(fixture.proxy.requests).toHaveLength(2);
    await readAll(remit.invoices.list());
    expect(fixture.proxy.requests.map(({ path }) => path)).toEqual([
      '/api/invoices?limit=5&offset=0',
      '/api/invoices?limit=5',
      '/api/invoices?limit=100&offset=0',
    ]);
  });

  test('is held still from its second page on, so items that are created meanwhile are no part of it', async () => {
    const client = await fixture.createClient();
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.unshift((await client.invoices.create(body)).id);
    fixture.proxy.setFaults();
    const seen: string[] = [];
    for await (const { id } of client.invoices.list({ limit: 3 })) {
      seen.push(id);
      await client.invoices.create(body);
    }
    expect(seen).toEqual(ids);
    const pages = fixture.proxy.requests.filter(({ method }) => method === 'GET');
    const [first, ...others] = pages.map(({ path }) => path.replace(/=[^=]*Z$/, '=…'));
    expect(first).toBe('/api/invoices?limit=3&offset=0');
    expect(others.slice(0, 2)).toEqual([
      '/api/invoices?limit=3&offset=3&createdTo=…',
      '/api/invoices?limit=3&offset=6&createdTo=…',
    ]);
    expect(others.every((path) => path.endsWith('&createdTo=…'))).toBe(true);
  });

  test('is held still also if the clock of test mode was moved ahead', async () => {
    const client = await fixture.createClient();
    const ids: string[] = [];
    const create = async () => ids.unshift((await client.invoices.create(body)).id);
    for (let count = 0; count < 3; count += 1) await create();
    await client.testClock.move({ advanceSeconds: 86_400 });
    for (let count = 0; count < 3; count += 1) await create();
    expect((await readAll(client.invoices.list({ limit: 2 }))).map(({ id }) => id)).toEqual(ids);
  });

  test('returns every item once, even if items leave the list while the client reads it', async () => {
    const seen: string[] = [];
    for await (const { id } of remit.invoices.list({ status: 'pending', limit: 5 })) {
      seen.push(id);
      await remit.invoices.cancel(id);
    }
    expect(seen).toEqual(made.map(({ id }) => id));
  });

  test('returns no item twice and misses no item that stays, even if items are added and removed', async () => {
    const kept: string[] = [];
    const removable: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { id } = await remit.invoices.create(body);
      (count % 3 === 0 ? removable : kept).unshift(id);
    }
    const seen: string[] = [];
    for await (const { id } of remit.invoices.list({ status: 'pending', limit: 4 })) {
      seen.push(id);
      if (seen.length % 2 === 0) await remit.invoices.create(body);
      const removed = seen.length % 3 === 0 && removable.shift();
      if (removed) await remit.invoices.cancel(removed);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => kept.includes(id))).toEqual(kept);
  });
});
