/**
 * Tests the reconciliation with a real table: a full comparison finds each corruption and nothing else, and a daily one
 * finds those that leave a trace in what it reads.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Difference } from '../../shared/operations/reconciliation/difference.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type BusyAccount, editIndexPage, newBusyAccount, overwriteItem } from '../support/busy-account.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterAll(() => stack?.close());

const differencesOf = async ({ owner }: BusyAccount, full: boolean) => {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  // Two checks, because the first one reads more lists than a daily comparison, and may describe a difference better.
  const result = await reconcileNow(owner, { full, waitsMs: [0, 0] });
  const { records, differences } = result;
  expect(result).toMatchObject({ unconfirmed: [], failures: [] });
  const brief = differences.map(({ id, rule, expected, found }) => ({ id, rule, expected, found }));
  // What a corruption adds or takes differs from the journal, too.
  const [ofJournal, others] = [true, false].map((isOfJournal) =>
    brief.filter(({ rule }) => (rule === 'journal_records_differ') === isOfJournal),
  );
  return {
    records,
    differences: others?.sort((a, b) => (a.rule < b.rule ? -1 : 1)),
    isJournaled: ofJournal?.length === 0,
  };
};

interface Scene extends BusyAccount {
  readonly invoices: readonly TestItem[];
  readonly payments: readonly TestItem[];
  readonly refunds: readonly TestItem[];
}

type Brief = Pick<Difference, 'id' | 'rule' | 'expected' | 'found'>;

/** Each function corrupts the table and returns the expected differences, in the order of the rules' names. */
const corruptions: Record<string, (scene: Scene) => Promise<Brief[]>> = {
  'an invoice is missing from the list of all': async ({ owner, invoices: [pending] }) => {
    await editIndexPage(table, { owner, resource: 'invoice' }, 'c', 1, 'remove');
    return [{ id: pending?.pk, rule: 'index_behind', expected: 'pending', found: 'nothing in all' }];
  },
  'an invoice is missing from the list of its customer': async ({ owner, invoices: [pending] }) => {
    const filterKey = pending?.filterKeys[0];
    await editIndexPage(table, { owner, resource: 'invoice', filterKey }, 'c', 1, 'remove');
    return [{ id: pending?.pk, rule: 'index_behind', expected: 'pending', found: 'nothing in customer' }];
  },
  'a payment is listed with an earlier status': async ({ owner, payments: [paid] }) => {
    await editIndexPage(table, { owner, resource: 'payment' }, 'p', 1, 'remove');
    await editIndexPage(table, { owner, resource: 'payment' }, 'c', 1, 'add');
    return [{ id: paid?.pk, rule: 'index_behind', expected: 'completed', found: 'pending in all' }];
  },
  'an invoice is listed as paid before it is': async ({ owner, invoices: [pending] }) => {
    const filterKey = pending?.filterKeys[0];
    for (const each of ['', filterKey])
      await editIndexPage(table, { owner, resource: 'invoice', filterKey: each }, 'p', 1, 'add');
    return [
      { id: pending?.pk, rule: 'index_ahead', expected: 'pending', found: 'paid in all, paid in customer' },
    ];
  },
  'an invoice is listed for another customer': async ({ owner, invoices: [pending, , other] }) => {
    const filterKey = other?.filterKeys[0];
    await editIndexPage(table, { owner, resource: 'invoice', filterKey }, 'c', 1, 'add');
    return [{ id: pending?.pk, rule: 'index_ahead', expected: 'pending', found: 'pending in customer' }];
  },
  'a list shows a number without a record': async ({ owner }) => {
    const { allocateSequenceNumber } = await import('../../shared/store/sequence-numbers.ts');
    const { recordId } = await import('../../shared/base/ids.ts');
    const { idKeys, seq } = await allocateSequenceNumber(owner, 'refund');
    await editIndexPage(table, { owner, resource: 'refund' }, 'f', seq, 'add');
    const id = recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq);
    return [{ id, rule: 'record_missing', expected: 'a record', found: 'failed in all' }];
  },
  'the account state has lost a number': async ({ owner, refunds: [, last] }) => {
    await overwriteItem(table, tableKeys.accountState(owner), { sr: 1 });
    return [{ id: last?.pk, rule: 'number_not_allocated', expected: 'at most 1', found: 2 }];
  },
  'an invoice is paid without a payment': async ({ owner, invoices: [pending] }) => {
    await overwriteItem(table, pending ?? {}, { status: 'paid' });
    for (const filterKey of ['', ...(pending?.filterKeys ?? [])])
      await editIndexPage(table, { owner, resource: 'invoice', filterKey }, 'p', 1, 'add');
    return [
      { id: pending?.pk, rule: 'invoice_without_payment', expected: 'a completed payment', found: 'none' },
    ];
  },
  'a payment is completed, but its invoice is pending': async ({ owner, invoices, payments }) => {
    const [, , byCard] = invoices;
    const id = payments[2]?.pk;
    await overwriteItem(table, byCard ?? {}, { status: 'pending', receipt: undefined });
    for (const filterKey of ['', ...(byCard?.filterKeys ?? [])])
      await editIndexPage(table, { owner, resource: 'invoice', filterKey }, 'p', 3, 'remove');
    return [{ id, rule: 'payment_for_nothing', expected: `paid by ${id}`, found: 'pending' }];
  },
  'an invoice has two completed payments': async ({ owner, payments }) => {
    const { allocateSequenceNumber } = await import('../../shared/store/sequence-numbers.ts');
    const { addIndexEntry } = await import('../../shared/store/lists/pages/add-index-entries.ts');
    const { recordId } = await import('../../shared/base/ids.ts');
    const { idKeys, seq } = await allocateSequenceNumber(owner, 'payment');
    const id = recordId(idKeys.of(seq), { ...owner, resource: 'payment' }, seq);
    const paid = payments[2] ?? {};
    await table.put({ ...paid, pk: id, seq });
    const { status, filterKeys } = paid as { status: 'completed'; filterKeys: string[] };
    await addIndexEntry(owner, { resource: 'payment', seq, filterKeys, status });
    return [{ id, rule: 'payment_for_nothing', expected: `paid by ${id}`, found: `paid by ${paid.pk}` }];
  },
  'the amount of a payment differs from its invoice': async ({ payments: [, , paid] }) => {
    await overwriteItem(table, paid ?? {}, { amount: 2400 });
    return [{ id: paid?.pk, rule: 'amount_differs', expected: 2500, found: 2400 }];
  },
  'the currency of a payment differs from its invoice': async ({ payments: [, , paid] }) => {
    await overwriteItem(table, paid ?? {}, { currency: 'INR' });
    return [{ id: paid?.pk, rule: 'currency_differs', expected: 'USD', found: 'INR' }];
  },
  'the currency of a refund differs from its payment': async ({ refunds: [refund] }) => {
    await overwriteItem(table, refund ?? {}, { currency: 'BTN' });
    return [{ id: refund?.pk, rule: 'currency_differs', expected: 'USD', found: 'BTN' }];
  },
  'a payment shows a refunded amount that is too high': async ({ payments: [outside] }) => {
    await overwriteItem(table, outside ?? {}, { amountRefunded: 1201 });
    return [{ id: outside?.pk, rule: 'refunded_sum_differs', expected: 1200, found: 1201 }];
  },
  'a payment shows no refunded amount': async ({ payments: [outside], refunds }) => {
    await overwriteItem(table, outside ?? {}, { amountRefunded: 0 });
    return refunds.map(({ pk, amount }) => ({
      id: pk,
      rule: 'refund_not_in_payment',
      expected: amount,
      found: 0,
    }));
  },
  'a payment reserves money for a refund that does not exist': async ({ payments: [outside] }) => {
    await overwriteItem(table, outside ?? {}, { amountReserved: 300 });
    return [{ id: outside?.pk, rule: 'reserved_sum_differs', expected: 0, found: 300 }];
  },
  'the refunds exceed the payment': async ({
    invoices: [, invoice],
    payments: [outside],
    refunds: [refund],
  }) => {
    await overwriteItem(table, refund ?? {}, { amount: 2000 });
    await overwriteItem(table, outside ?? {}, { amountRefunded: 2700 });
    await overwriteItem(table, invoice ?? {}, { refundedMinor: 2700 });
    return [{ id: outside?.pk, rule: 'refunded_above_amount', expected: 'at most 2500', found: 2700 }];
  },
  'the record of a refund is deleted': async ({
    invoices: [, invoice],
    payments: [outside],
    refunds: [refund],
  }) => {
    await table.delete(tableKeys.record(refund?.pk));
    const found = 'processed in all, processed in invoice, processed in payment';
    return [
      { id: refund?.pk, rule: 'record_missing', expected: 'a record', found },
      { id: invoice?.pk, rule: 'refund_note_differs', expected: 700, found: 1200 },
      { id: outside?.pk, rule: 'refunded_sum_differs', expected: 700, found: 1200 },
    ];
  },
  'an invoice shows no refunded amount': async ({ invoices: [, invoice], refunds }) => {
    await overwriteItem(table, invoice ?? {}, { refundedMinor: undefined });
    return refunds.map(({ pk, amount }) => ({
      id: pk,
      rule: 'refund_not_in_invoice',
      expected: amount,
      found: 0,
    }));
  },
  'the amount of an invoice is text': async ({ invoices: [pending] }) => {
    await overwriteItem(table, pending ?? {}, { amount: 'lots' });
    return [malformed(pending, 'its attribute amount has another form, and must be an integer from 1 on')];
  },
  'the creation time of a paid invoice is text': async ({ invoices: [, paid] }) => {
    await overwriteItem(table, paid ?? {}, { createdAt: 'yesterday' });
    return [
      malformed(
        paid,
        'its attribute createdAt has another form, and must be an instant in milliseconds since 1970',
      ),
    ];
  },
  'a payment has no method': async ({ payments: [paid] }) => {
    const { method: _, ...rest } = paid ?? {};
    await table.put(rest);
    return [malformed(paid, 'its attribute method is missing, and must be a text')];
  },
  'the amount of a refund is negative': async ({ refunds: [refund] }) => {
    await overwriteItem(table, refund ?? {}, { amount: -1 });
    return [malformed(refund, 'its attribute amount has another form, and must be an integer from 1 on')];
  },
  'a payment is pending, but its invoice does not show it': async ({ owner, payments: [, declined] }) => {
    await overwriteItem(table, declined ?? {}, { status: 'pending', failureCode: null });
    for (const filterKey of ['', ...(declined?.filterKeys ?? [])]) {
      await editIndexPage(table, { owner, resource: 'payment', filterKey }, 'f', 2, 'remove');
      await editIndexPage(table, { owner, resource: 'payment', filterKey }, 'c', 2, 'add');
    }
    const id = declined?.pk;
    return [{ id, rule: 'payment_in_progress', expected: id, found: 'none' }];
  },
};

function malformed(item: TestItem | undefined, found: string): Brief {
  return { id: item?.pk, rule: 'record_malformed', expected: 'a record', found };
}

/** Corruptions of records and filtered lists that a daily comparison takes from digests, and does not read. */
const foundOnlyByFull = new Set([
  'an invoice is listed for another customer',
  'a payment is completed, but its invoice is pending',
  'the amount of a payment differs from its invoice',
  'the currency of a payment differs from its invoice',
  'the currency of a refund differs from its payment',
  'a payment shows a refunded amount that is too high',
  'a payment shows no refunded amount',
  'a payment reserves money for a refund that does not exist',
  'the refunds exceed the payment',
  'the record of a refund is deleted',
  'an invoice shows no refunded amount',
  'the creation time of a paid invoice is text',
  'a payment has no method',
  'the amount of a refund is negative',
]);
/** Corruptions that make a list show another status than a final record had. The next comparison is full. */
const contradictions = new Set([
  'a payment is listed with an earlier status',
  'a payment is completed, but its invoice is pending',
  'a payment is pending, but its invoice does not show it',
]);

const [firstName] = Object.keys(corruptions);

describe('corruptions', () => {
  test.each(Object.entries(corruptions))('the reconciliation finds only this: %s', async (name, corrupt) => {
    const account = await newBusyAccount(stack, table);
    // 4 invoices, 3 payments, 2 refunds.
    expect(await differencesOf(account, true)).toEqual({ records: 9, differences: [], isJournaled: true });
    const [invoices, payments, refunds] = await Promise.all([
      account.records('inv_'),
      account.records('pay_'),
      account.records('ref_'),
    ]);
    const expected = await corrupt({ ...account, invoices, payments, refunds });
    const daily = foundOnlyByFull.has(name) ? [] : expected;
    expect((await differencesOf(account, false)).differences).toEqual(daily);
    const { day } = (await table.get(tableKeys.fullReconciliation(account.owner))) ?? {};
    expect(day === undefined).toBe(contradictions.has(name));
    expect((await differencesOf(account, true)).differences).toEqual(expected);
    // From now on, the daily comparison reads the records that disagree.
    if (isExhaustive || name === firstName)
      expect((await differencesOf(account, false)).differences).toEqual(expected);
  });
});
