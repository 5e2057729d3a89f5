/** Expects that all responses about an account's invoices and all items in the table agree. For tests of single cases. */
import { expect } from '@jest/globals';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { followUpViolations, readInvoiceVersions, type VersionedInvoice } from './audit-table.ts';

/** Returns all items of the table, once the owner's outbox is empty. */
export async function readQuiescentTable({ owner, table }: AccountUnderTest): Promise<TestItem[]> {
  await waitUntil('the outbox is empty', async () => (await table.outboxOf(owner)).length === 0);
  return table.all('');
}

/**
 * Expects that records, events, index, timers, lists, totals per status and single reads agree.
 * @returns the invoices with their versions, newest first
 */
export async function expectConsistentInvoices(account: AccountUnderTest): Promise<VersionedInvoice[]> {
  const { owner, api, now } = account;
  const items = await readQuiescentTable(account);
  const { invoices, violations } = readInvoiceVersions(items, owner);
  expect([...violations, ...followUpViolations(items, owner, invoices, now())]).toEqual([]);
  invoices.sort((a, b) => b.seq - a.seq);
  const current = invoices.map(({ versions }) => versions.at(-1)?.invoice);
  const customers = [undefined, current[0]?.customerId ?? 'cust_1'];
  for (const status of [undefined, 'pending', 'overdue', 'paid', 'cancelled']) {
    for (const customer of customers) {
      const expected = current.filter(
        (invoice) =>
          (status === undefined || invoice?.status === status) &&
          (customer === undefined || invoice?.customerId === customer),
      );
      const filter = customer === undefined ? '' : `&customerId=${encodeURIComponent(customer)}`;
      const query = `limit=100${status ? `&status=${status}` : ''}${filter}`;
      const { data, pagination } = (await api.get(`/api/invoices?${query}`)).json;
      expect({ data, total: pagination.total }).toEqual({ data: expected, total: expected.length });
    }
  }
  for (const invoice of current) {
    expect((await api.get(`/api/invoices/${invoice?.id}`)).json).toEqual(invoice);
  }
  return invoices;
}
