/** The reconciliation against a real table: it finds each corruption, and nothing where there is none. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Difference } from '../../shared/reconciliation/difference.ts';
import { keys } from '../../shared/store/keys.ts';
import { type BusyAccount, newBusyAccount, tamper, tamperPage } from '../support/busy-account.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterAll(() => stack?.close());

const differencesOf = async ({ owner }: BusyAccount) => {
  const { reconcileNow } = await import('../../shared/reconciliation/reconcile-now.ts');
  const { records, differences, open } = await reconcileNow(owner, [0]);
  expect(open).toEqual([]);
  const brief = differences.map(({ id, rule, expected, found }) => ({ id, rule, expected, found }));
  return { records, differences: brief.sort((a, b) => (a.rule < b.rule ? -1 : 1)) };
};

interface Scene extends BusyAccount {
  readonly invoices: readonly TestItem[];
  readonly payments: readonly TestItem[];
  readonly refunds: readonly TestItem[];
}

type Brief = Pick<Difference, 'id' | 'rule' | 'expected' | 'found'>;

/** What is done to the table, and exactly what is found then, in the order of the rules' names. */
const corruptions: Record<string, (scene: Scene) => Promise<Brief[]>> = {
  'an invoice is missing in the list of all': async ({ owner, invoices: [pending] }) => {
    await tamperPage(table, { owner, resource: 'invoice' }, 'c', 1, 'remove');
    return [{ id: pending?.pk, rule: 'index_behind', expected: 'pending', found: 'nothing in all' }];
  },
  'an invoice is missing in the list of its customer': async ({ owner, invoices: [pending] }) => {
    const dimension = pending?.dimensions[0];
    await tamperPage(table, { owner, resource: 'invoice', dimension }, 'c', 1, 'remove');
    return [{ id: pending?.pk, rule: 'index_behind', expected: 'pending', found: 'nothing in customer' }];
  },
  'a payment is listed in an earlier state': async ({ owner, payments: [paid] }) => {
    await tamperPage(table, { owner, resource: 'payment' }, 'p', 1, 'remove');
    await tamperPage(table, { owner, resource: 'payment' }, 'c', 1, 'add');
    return [{ id: paid?.pk, rule: 'index_behind', expected: 'completed', found: 'pending in all' }];
  },
  'an invoice is listed as paid before it is': async ({ owner, invoices: [pending] }) => {
    const dimension = pending?.dimensions[0];
    for (const each of ['', dimension])
      await tamperPage(table, { owner, resource: 'invoice', dimension: each }, 'p', 1, 'add');
    return [
      { id: pending?.pk, rule: 'index_ahead', expected: 'pending', found: 'paid in all, paid in customer' },
    ];
  },
  'an invoice is listed for another customer': async ({ owner, invoices: [pending, , other] }) => {
    const dimension = other?.dimensions[0];
    await tamperPage(table, { owner, resource: 'invoice', dimension }, 'c', 1, 'add');
    return [{ id: pending?.pk, rule: 'index_ahead', expected: 'pending', found: 'pending in customer' }];
  },
  'a list shows a number without a record': async ({ owner }) => {
    const { drawNumber } = await import('../../shared/store/numbers.ts');
    const { recordId } = await import('../../shared/ids.ts');
    const { idKeys, seq } = await drawNumber(owner, 'refund');
    await tamperPage(table, { owner, resource: 'refund' }, 'f', seq, 'add');
    const id = recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq);
    return [{ id, rule: 'record_missing', expected: 'a record', found: 'failed in all' }];
  },
  'the head has forgotten a number': async ({ owner, refunds: [, last] }) => {
    await tamper(table, keys.head(owner), { sr: 1 });
    return [{ id: last?.pk, rule: 'number_not_drawn', expected: 'at most 1', found: 2 }];
  },
  'an invoice is paid without a payment': async ({ owner, invoices: [pending] }) => {
    await tamper(table, pending ?? {}, { status: 'paid' });
    for (const dimension of ['', ...(pending?.dimensions ?? [])])
      await tamperPage(table, { owner, resource: 'invoice', dimension }, 'p', 1, 'add');
    return [
      { id: pending?.pk, rule: 'invoice_without_payment', expected: 'a completed payment', found: 'none' },
    ];
  },
  'a payment is completed, and its invoice pending': async ({ owner, invoices, payments }) => {
    const [, , byCard] = invoices;
    const id = payments[2]?.pk;
    await tamper(table, byCard ?? {}, { status: 'pending', receipt: undefined });
    for (const dimension of ['', ...(byCard?.dimensions ?? [])])
      await tamperPage(table, { owner, resource: 'invoice', dimension }, 'p', 3, 'remove');
    return [{ id, rule: 'payment_for_nothing', expected: `paid by ${id}`, found: 'pending' }];
  },
  'an invoice has two completed payments': async ({ owner, payments }) => {
    const { drawNumber } = await import('../../shared/store/numbers.ts');
    const { addElement } = await import('../../shared/store/index-pages.ts');
    const { recordId } = await import('../../shared/ids.ts');
    const { idKeys, seq } = await drawNumber(owner, 'payment');
    const id = recordId(idKeys.of(seq), { ...owner, resource: 'payment' }, seq);
    const paid = payments[2] ?? {};
    await table.put({ ...paid, pk: id, seq });
    const { status, dimensions } = paid as { status: string; dimensions: string[] };
    await addElement(owner, { resource: 'payment', seq, dimensions, status });
    return [{ id, rule: 'payment_for_nothing', expected: `paid by ${id}`, found: `paid by ${paid.pk}` }];
  },
  'the amount of a payment is not that of its invoice': async ({ payments: [, , paid] }) => {
    await tamper(table, paid ?? {}, { amount: 2400 });
    return [{ id: paid?.pk, rule: 'amount_differs', expected: 2500, found: 2400 }];
  },
  'the currency of a payment is not that of its invoice': async ({ payments: [, , paid] }) => {
    await tamper(table, paid ?? {}, { currency: 'INR' });
    return [{ id: paid?.pk, rule: 'currency_differs', expected: 'USD', found: 'INR' }];
  },
  'the currency of a refund is not that of its payment': async ({ refunds: [refund] }) => {
    await tamper(table, refund ?? {}, { currency: 'BTN' });
    return [{ id: refund?.pk, rule: 'currency_differs', expected: 'USD', found: 'BTN' }];
  },
  'a payment shows more as refunded than was': async ({ payments: [outside] }) => {
    await tamper(table, outside ?? {}, { amountRefunded: 1201 });
    return [{ id: outside?.pk, rule: 'refunded_sum_differs', expected: 1200, found: 1201 }];
  },
  'a payment shows nothing as refunded': async ({ payments: [outside], refunds }) => {
    await tamper(table, outside ?? {}, { amountRefunded: 0 });
    return refunds.map(({ pk, amount }) => ({
      ...{ id: pk, rule: 'refund_not_in_payment', expected: amount, found: 0 },
    }));
  },
  'a payment keeps money for a refund that is not there': async ({ payments: [outside] }) => {
    await tamper(table, outside ?? {}, { amountReserved: 300 });
    return [{ id: outside?.pk, rule: 'reserved_sum_differs', expected: 0, found: 300 }];
  },
  'more is refunded than was paid': async ({
    invoices: [, invoice],
    payments: [outside],
    refunds: [refund],
  }) => {
    await tamper(table, refund ?? {}, { amount: 2000 });
    await tamper(table, outside ?? {}, { amountRefunded: 2700 });
    await tamper(table, invoice ?? {}, { refundedMinor: 2700 });
    return [{ id: outside?.pk, rule: 'refunded_above_amount', expected: 'at most 2500', found: 2700 }];
  },
  'the record of a refund is gone': async ({
    invoices: [, invoice],
    payments: [outside],
    refunds: [refund],
  }) => {
    await table.delete(keys.record(refund?.pk));
    const found = 'processed in all, processed in invoice, processed in payment';
    return [
      { id: refund?.pk, rule: 'record_missing', expected: 'a record', found },
      { id: invoice?.pk, rule: 'refund_note_differs', expected: 700, found: 1200 },
      { id: outside?.pk, rule: 'refunded_sum_differs', expected: 700, found: 1200 },
    ];
  },
  'an invoice does not know what went back': async ({ invoices: [, invoice], refunds }) => {
    await tamper(table, invoice ?? {}, { refundedMinor: undefined });
    return refunds.map(({ pk, amount }) => ({
      ...{ id: pk, rule: 'refund_not_in_invoice', expected: amount, found: 0 },
    }));
  },
  'a payment is pending that its invoice knows nothing of': async ({ owner, payments: [, declined] }) => {
    await tamper(table, declined ?? {}, { status: 'pending', failureCode: null });
    for (const dimension of ['', ...(declined?.dimensions ?? [])])
      await tamperPage(table, { owner, resource: 'payment', dimension }, 'f', 2, 'remove');
    const id = declined?.pk;
    return [{ id, rule: 'payment_in_progress', expected: id, found: 'none' }];
  },
};

describe('planted differences', () => {
  test.each(Object.entries(corruptions))('%s: this is found, and nothing else', async (_, plant) => {
    const account = await newBusyAccount(stack, table);
    // 4 invoices, 3 payments, 2 refunds.
    expect(await differencesOf(account)).toEqual({ records: 9, differences: [] });
    const [invoices, payments, refunds] = await Promise.all([
      account.records('inv_'),
      account.records('pay_'),
      account.records('ref_'),
    ]);
    const expected = await plant({ ...account, invoices, payments, refunds });
    expect((await differencesOf(account)).differences).toEqual(expected);
  });
});
