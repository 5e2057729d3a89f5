/** Checks that payments and refunds agree everywhere: in the table, in every list and its total, and in GET. */
import { expect } from '@jest/globals';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import type { TestItem } from '../support/table.ts';
import { balanceViolations } from './audit-balances.ts';
import { pendingWorkViolations } from './audit-pending-work.ts';
import { expectConsistentInvoices, readQuiescentTable } from './expect-consistent-invoices.ts';
import { paymentAndRefundRecords, readLifecycles } from './stored-lifecycles.ts';

export interface ShownMoney {
  /** Payments and refunds as the API shows them, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly payments: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly refunds: any[];
}

/** Expects that payments, refunds and invoices are consistent once no work is left. Returns payments and refunds. */
export async function expectConsistentMoney(observed: AccountUnderTest): Promise<ShownMoney> {
  const items = await readQuiescentTable(observed);
  const { owner } = observed;
  const violations = [
    ...readLifecycles(items, owner).violations,
    ...balanceViolations(items, owner),
    ...pendingWorkViolations(items, owner),
  ];
  expect(violations).toEqual([]);
  await expectConsistentInvoices(observed);
  const records = paymentAndRefundRecords(items, owner);
  const listsOf = new Map(
    [...records.payment, ...records.refund].map(({ pk, filterKeys }) => [pk, filterKeys as string[]]),
  );
  const payments = await shown(observed, 'payments', records.payment);
  const refunds = await shown(observed, 'refunds', records.refund);
  const [payment, refund] = [payments[0], refunds[0]];
  await expectListed(observed, 'payments', payments, ['completed', 'failed', 'pending'], {
    ...(payment && { invoiceId: payment.invoiceId, customerId: payment.customerId }),
    listsOf,
  });
  await expectListed(observed, 'refunds', refunds, ['processed', 'failed', 'pending'], {
    ...(refund && { paymentId: refund.paymentId, invoiceId: refund.invoiceId }),
    listsOf,
  });
  return { payments, refunds };
}

async function shown({ api }: AccountUnderTest, resource: string, records: readonly TestItem[]) {
  const inOrder = records.toSorted((a, b) => a.seq - b.seq);
  return Promise.all(inOrder.map(async ({ pk }) => (await api.get(`/api/${resource}/${pk}`)).json));
}

/**
 * Expects that the list of each status and filter has the matching records, newest first, and their number as total. The lists of an
 * invoice also have the payments that have moved to the one that replaces it.
 * @param listsOf the lists that have a record, by its id
 */
async function expectListed(
  { api }: AccountUnderTest,
  resource: string,
  all: readonly Record<string, unknown>[],
  statuses: readonly string[],
  {
    listsOf,
    ...filters
  }: Readonly<Record<string, unknown>> & { readonly listsOf: ReadonlyMap<string, readonly string[]> },
): Promise<void> {
  for (const status of ['', ...statuses]) {
    for (const [name, value] of [['', ''], ...Object.entries(filters)]) {
      const isOf = (record: Readonly<Record<string, unknown>>) =>
        name === 'invoiceId'
          ? listsOf.get(String(record.id))?.includes(`#invoice#${value}`)
          : !name || record[String(name)] === value;
      const data = all.filter((record) => (!status || record.status === status) && isOf(record));
      const query = `limit=100${status && `&status=${status}`}${name && `&${name}=${value}`}`;
      const { json } = await api.get(`/api/${resource}?${query}`);
      expect(json.data).toEqual(data.toReversed());
      expect(json.pagination.total).toBe(data.length);
    }
  }
}
