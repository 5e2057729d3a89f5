/** That payments and refunds agree everywhere: in the table, in every list and its total, and in GET. */
import { expect } from '@jest/globals';
import { balanceFaults } from './audit-balances.ts';
import { leftoverFaults } from './audit-leftovers.ts';
import { agreedChains, type Observed, quietTable } from './chains-agree.ts';
import { readMoney, recordsOf } from './history-stories.ts';
import type { TestItem } from './table.ts';

export interface AgreedMoney {
  /** Payments and refunds as the API shows them, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly payments: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly refunds: any[];
}

/** Once nothing is under way any more: everything agrees, for invoices as well. Returns what there is. */
export async function agreedMoney(observed: Observed): Promise<AgreedMoney> {
  const items = await quietTable(observed);
  const { owner } = observed;
  const faults = [
    ...readMoney(items, owner).faults,
    ...balanceFaults(items, owner),
    ...leftoverFaults(items, owner),
  ];
  expect(faults).toEqual([]);
  await agreedChains(observed);
  const records = recordsOf(items, owner);
  const payments = await shown(observed, 'payments', records.payment);
  const refunds = await shown(observed, 'refunds', records.refund);
  const [payment, refund] = [payments[0], refunds[0]];
  await expectListed(observed, 'payments', payments, ['completed', 'failed', 'pending'], {
    ...(payment && { invoiceId: payment.invoiceId, customerId: payment.customerId }),
  });
  await expectListed(observed, 'refunds', refunds, ['processed', 'failed', 'pending'], {
    ...(refund && { paymentId: refund.paymentId, invoiceId: refund.invoiceId }),
  });
  return { payments, refunds };
}

async function shown({ api }: Observed, resource: string, records: readonly TestItem[]) {
  const inOrder = records.toSorted((a, b) => a.seq - b.seq);
  return Promise.all(inOrder.map(async ({ pk }) => (await api.get(`/api/${resource}/${pk}`)).json));
}

/** The list of each status and each filter has the records that match, newest first, and their number as its total. */
async function expectListed(
  { api }: Observed,
  resource: string,
  all: readonly Record<string, unknown>[],
  statuses: readonly string[],
  filters: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const status of ['', ...statuses]) {
    for (const [name, value] of [['', ''], ...Object.entries(filters)]) {
      const data = all.filter(
        (record) => (!status || record.status === status) && (!name || record[String(name)] === value),
      );
      const query = `limit=100${status && `&status=${status}`}${name && `&${name}=${value}`}`;
      const { json } = await api.get(`/api/${resource}?${query}`);
      expect(json.data).toEqual(data.toReversed());
      expect(json.pagination.total).toBe(data.length);
    }
  }
}
