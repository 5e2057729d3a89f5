/** That everything a client can ask for, and everything in the table, tells one story; for tests of single stories. */
import { expect } from '@jest/globals';
import type { Api } from './api.ts';
import { auditFollowUps, type Chain, readChains } from './audit-table.ts';
import type { TestItem, TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

export interface Observed {
  /** `account#mode`. */
  readonly owner: string;
  readonly api: Api;
  readonly table: TestTable;
  readonly now: () => number;
}

/** The table, once nothing of the owner waits in its outbox. */
export async function quietTable({ owner, table }: Observed): Promise<TestItem[]> {
  await waitUntil('the outbox is empty', async () => (await table.outboxOf(owner)).length === 0);
  return table.all('');
}

/** Records, events, index, timers, lists, totals per status and GET agree; returns what has happened, newest first. */
export async function agreedChains(observed: Observed): Promise<Chain[]> {
  const { owner, api, now } = observed;
  const items = await quietTable(observed);
  const { chains, faults } = readChains(items, owner);
  expect([...faults, ...auditFollowUps(items, owner, chains, now())]).toEqual([]);
  chains.sort((a, b) => b.seq - a.seq);
  const last = chains.map(({ versions }) => versions.at(-1)?.invoice);
  for (const status of [undefined, 'pending', 'overdue', 'paid', 'cancelled']) {
    const wanted = last.filter((invoice) => status === undefined || invoice?.status === status);
    for (const customer of ['', '&customerId=cust_1']) {
      const query = `limit=100${status ? `&status=${status}` : ''}${customer}`;
      const { data, pagination } = (await api.get(`/api/invoices?${query}`)).json;
      expect({ data, total: pagination.total }).toEqual({ data: wanted, total: wanted.length });
    }
  }
  for (const invoice of last) expect((await api.get(`/api/invoices/${invoice?.id}`)).json).toEqual(invoice);
  return chains;
}
