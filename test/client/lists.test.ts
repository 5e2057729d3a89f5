/** Lists of the client: one page, or all, also of what changes while it is read. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Invoice, Remit } from '../../client/src/remit.ts';
import { all, body, type ClientStand, startClientStand } from './client-stand.ts';

let stand: ClientStand;
let remit: Remit;
let made: Invoice[];
beforeAll(async () => {
  stand = await startClientStand();
  remit = await stand.client();
  made = [];
  for (let count = 0; count < 12; count += 1) made.unshift(await remit.invoices.create(body));
});
afterAll(() => stand?.close());

describe('a list', () => {
  test('is gone through as a whole, page after page, from its offset on', async () => {
    for (const limit of [1, 2, 3, 5, 11, 12, 13, 100]) {
      expect(await all(remit.invoices.list({ limit }))).toEqual(made);
      expect(await all(remit.invoices.list({ limit, offset: 4 }))).toEqual(made.slice(4));
    }
  });

  test('leaves out what is undefined, and sends every character of a filter as it is', async () => {
    const customerId = 'a+b&c=d@example.bt';
    const other = await stand.client();
    const { id } = await other.invoices.create({ ...body, customerId });
    const query = { customerId, status: undefined } as { customerId: string };
    expect((await other.invoices.list(query)).data).toMatchObject([{ id, customerId }]);
  });

  test('asks for nothing before it is needed, and for no page after the last that is', async () => {
    stand.proxy.meet();
    const list = remit.invoices.list({ limit: 5 });
    expect(stand.proxy.seen).toHaveLength(0);
    for await (const invoice of list) if (invoice.id === made[4]?.id) break;
    expect(stand.proxy.seen).toHaveLength(1);
    expect(await list).toBe(await list.page());
    expect(stand.proxy.seen).toHaveLength(2);
    await all(remit.invoices.list());
    expect(stand.proxy.seen.map(({ path }) => path)).toEqual([
      ...['/api/invoices?limit=5&offset=0', '/api/invoices?limit=5', '/api/invoices?limit=100&offset=0'],
    ]);
  });

  test('of what is cancelled on the way misses none and tells none twice', async () => {
    const seen: string[] = [];
    for await (const { id } of remit.invoices.list({ status: 'pending', limit: 5 })) {
      seen.push(id);
      await remit.invoices.cancel(id);
    }
    expect(seen).toEqual(made.map(({ id }) => id));
  });

  test('that grows and shrinks on the way misses none that was there all along, and tells none twice', async () => {
    const kept: string[] = [];
    const doomed: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { id } = await remit.invoices.create(body);
      (count % 3 === 0 ? doomed : kept).unshift(id);
    }
    const seen: string[] = [];
    for await (const { id } of remit.invoices.list({ status: 'pending', limit: 4 })) {
      seen.push(id);
      if (seen.length % 2 === 0) await remit.invoices.create(body);
      const gone = seen.length % 3 === 0 && doomed.shift();
      if (gone) await remit.invoices.cancel(gone);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => kept.includes(id))).toEqual(kept);
  });
});
