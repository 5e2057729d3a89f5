/**
 * What must hold of the money once everything has come to rest: invoices, payments, refunds and the test provider's
 * books tell one story, and nothing waits any more. Pure: it judges the items that it is given.
 */

import { elementsOf } from './audit-table.ts';
import { recordsOf } from './history-stories.ts';
import type { TestItem } from './table.ts';

/** @param owner `account#mode` */
export function balanceFaults(all: readonly TestItem[], owner: string): string[] {
  const { payment: payments, refund: refunds } = recordsOf(all, owner);
  const invoices = all.filter(
    ({ pk, sk, account, mode }) => sk === 'RECORD' && pk.startsWith('inv_') && `${account}#${mode}` === owner,
  );
  const byInvoice = Map.groupBy(payments, ({ invoiceId }) => invoiceId as string);
  const byPayment = Map.groupBy(refunds, ({ paymentId }) => paymentId as string);
  const books = new Map(
    all.filter(({ pk }) => pk.startsWith('TESTPROVIDER#')).map((deed) => [deed.key, deed]),
  );
  return [
    ...invoices.flatMap((invoice) => invoiceFaults(invoice, byInvoice.get(invoice.pk) ?? [], byPayment)),
    ...payments.flatMap((payment) => paymentFaults(payment, byPayment.get(payment.pk) ?? [])),
    ...payments.flatMap((payment) => captureFaults(payment, books, byPayment.get(payment.pk) ?? [])),
    ...refunds.filter(({ status }) => status === 'pending').map(({ pk }) => `${pk} is still pending`),
    ...strayDeeds(all, books),
    ...indexFaults(all, owner, { payment: payments, refund: refunds }),
  ];
}

type ByPayment = ReadonlyMap<string, readonly TestItem[]>;

function invoiceFaults(invoice: TestItem, payments: readonly TestItem[], refunds: ByPayment): string[] {
  const { pk, status, amount, paymentInProgress, receipt } = invoice;
  const completed = payments.filter((payment) => payment.status === 'completed');
  const faults: string[] = [];
  if (paymentInProgress) faults.push(`${pk} is still bound to ${paymentInProgress}`);
  if (completed.length > 1) faults.push(`${pk} has ${completed.length} completed payments`);
  const [payment] = completed;
  if (status === 'paid') {
    if (!payment) faults.push(`${pk} is paid, without a completed payment`);
    else if (payment.amount !== amount)
      faults.push(`${pk} costs ${amount}, it was paid with ${payment.amount}`);
    if (payment && receipt?.paymentId !== payment.pk) faults.push(`${pk} has the receipt of another payment`);
  } else if (payment && status !== 'cancelled') {
    faults.push(`${pk} is ${status}, and ${payment.pk} of it is completed`);
  } else if (payment) {
    const own = refunds.get(payment.pk) ?? [];
    // The provider may refuse a refund; then it must at least have been asked for.
    const asked = own.some((refund) => refund.status === 'failed' && refund.amount === payment.amount);
    if (payment.amountRefunded !== payment.amount && !asked) {
      faults.push(
        `${pk} is cancelled, of ${payment.pk} ${payment.amountRefunded} of ${payment.amount} is refunded`,
      );
    }
  }
  return faults;
}

function paymentFaults(payment: TestItem, refunds: readonly TestItem[]): string[] {
  const { pk, status, amount, amountRefunded, amountReserved, owed, request } = payment;
  const faults: string[] = [];
  if (status === 'pending') faults.push(`${pk} is still pending`);
  if (amountReserved !== 0) faults.push(`${pk} still has ${amountReserved} reserved`);
  if (owed) faults.push(`${pk} still owes a ${owed}`);
  if (request && status !== 'pending') faults.push(`${pk} is ${status} and still has a request to answer`);
  const processed = sum(refunds.filter((refund) => refund.status === 'processed'));
  if (processed !== amountRefunded)
    faults.push(`${pk}: ${amountRefunded} is refunded, by refunds ${processed}`);
  if (amountRefunded > (status === 'completed' ? amount : 0)) {
    faults.push(`${pk} is ${status} over ${amount}, and ${amountRefunded} of it is refunded`);
  }
  return faults;
}

/** Our payment and its refunds against the provider's capture and refunds. */
function captureFaults(
  { pk, status, method, amount, amountRefunded }: TestItem,
  books: ReadonlyMap<string, TestItem>,
  refunds: readonly TestItem[],
): string[] {
  const done = (deed: TestItem | undefined, kind: string): number =>
    deed?.asked.deed === kind && deed.outcome.kind === 'done' ? deed.asked.amountMinor : 0;
  const captured = done(books.get(pk), 'capture');
  const own = [...refunds.map((refund) => refund.pk), `${pk}:reversal`].map((key) => books.get(key));
  const givenBack = own.reduce((total, deed) => total + done(deed, 'refund'), 0);
  const kept = method === 'card' && status === 'completed' ? amount - amountRefunded : 0;
  const faults: string[] = [];
  if (captured - givenBack !== kept) {
    faults.push(`${pk}: the provider has ${captured - givenBack} of it, our records say ${kept}`);
  }
  if (method === 'card' && status === 'completed' && captured !== amount) {
    faults.push(`${pk} is completed over ${amount}, the provider captured ${captured}`);
  }
  if (method === 'offline') return faults;
  for (const refund of refunds) {
    const given = done(books.get(refund.pk), 'refund');
    const expected = refund.status === 'processed' ? refund.amount : 0;
    if (given !== expected) faults.push(`${refund.pk} is ${refund.status}, the provider gave back ${given}`);
  }
  return faults;
}

/** What the provider was asked for that no record knows of. */
function strayDeeds(all: readonly TestItem[], books: ReadonlyMap<string, TestItem>): string[] {
  const records = new Set(all.filter(({ sk }) => sk === 'RECORD').map(({ pk }) => pk));
  return [...books.keys()].flatMap((key) =>
    records.has(key.split(':')[0]) ? [] : [`the provider has ${key}, which is no record's`],
  );
}

const sets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payment: { pending: 'c', failed: 'f', completed: 'p' },
  refund: { pending: 'c', failed: 'f', processed: 'p' },
};

/** Index pages hold each record, in all of its lists, in the states that it has had. */
function indexFaults(
  all: readonly TestItem[],
  owner: string,
  records: Readonly<Record<'payment' | 'refund', readonly TestItem[]>>,
): string[] {
  return (['payment', 'refund'] as const).flatMap((resource) => {
    const prefix = `INDEX#${owner}#${resource}`;
    const expected = new Set<string>();
    for (const { seq, status, dimensions, method } of records[resource]) {
      const had = method === 'offline' ? [status] : ['pending', status];
      for (const set of had.map((name) => sets[resource]?.[name])) {
        for (const dimension of ['', ...dimensions]) expected.add(`${prefix}${dimension} ${set} ${seq}`);
      }
    }
    const pages = all.filter(({ pk }) => pk === prefix || pk.startsWith(`${prefix}#`));
    const actual = new Set(pages.flatMap(elementsOf));
    return [
      ...[...expected]
        .filter((element) => !actual.has(element))
        .map((element) => `the index lacks ${element}`),
      ...[...actual]
        .filter((element) => !expected.has(element))
        .map((element) => `the index has ${element} wrongly`),
    ];
  });
}

const sum = (items: readonly TestItem[]) => items.reduce((total, { amount }) => total + amount, 0);
