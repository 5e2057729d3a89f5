/** Reads the records of a customer for its balance and its statement of account. Writes nothing. */
import type { Owner } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import type { Principal } from '../../store/account-state.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { listRecords } from '../../store/lists/pages/lists.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readInvoiceIndex } from '../invoices/invoice-store.ts';
import { invoiceType } from '../invoices/record.ts';
import type { Payment } from '../payments/payment.ts';
import { readPaymentIndex } from '../payments/payment-store.ts';
import { paymentType } from '../payments/record.ts';
import { refundType } from '../refunds/record.ts';
import type { Refund } from '../refunds/refund.ts';
import { readRefundIndex } from '../refunds/refund-store.ts';
import type { CustomerRecords } from './statement.ts';

/** The most invoices, and the most payments, that a balance or a statement is made of. */
export const maxOfCustomer = 5000;
const callsAtOnce = 8;

/** Whose records are read, and how their ids are made. */
export type Reader = Pick<Principal, 'owner' | 'idKeys' | 'clock'>;
const all = { offset: 0, limit: maxOfCustomer, isReadOnly: true };

/**
 * Reads the newest open invoices of a list.
 * @param view the index of the list, from `readInvoiceIndex`
 * @param most at most so many
 * @returns `hasMore`: there are more
 */
export async function readOpenInvoices(
  reader: Reader,
  view: IndexView,
  most: number,
): Promise<{ readonly invoices: readonly Invoice[]; readonly hasMore: boolean }> {
  const query = { ...all, limit: most, status: ['pending', 'overdue'] };
  const { rows, total } = await listRecords(invoiceType, reader, view, query);
  return { invoices: rows, hasMore: total > most };
}

/** The indexes of the invoices and of the payments of a customer. */
export interface CustomerIndexes {
  readonly invoices: IndexView;
  readonly payments: IndexView;
}

/** Reads the indexes of a customer. One call in sequence. */
export async function readCustomerIndexes(owner: Owner, customerId: string): Promise<CustomerIndexes> {
  const [invoices, payments] = await Promise.all([
    readInvoiceIndex(owner, { customerId }),
    readPaymentIndex(owner, { invoiceId: undefined, customerId }),
  ]);
  return { invoices, payments };
}

/**
 * Reads all records that a statement is made of. One call in sequence, and two more if money was returned.
 * @param onInvoices is called with the ids of the invoices that are read
 * @returns undefined if the customer has more than `maxOfCustomer` invoices or payments
 */
export async function readCustomerRecords(
  reader: Reader,
  indexes: CustomerIndexes,
  onInvoices?: (ids: readonly string[]) => void,
): Promise<CustomerRecords | undefined> {
  const query = { ...all, status: undefined };
  const [invoices, payments] = await Promise.all([
    listRecords(invoiceType, reader, indexes.invoices, { ...query, onRead: onInvoices }),
    listRecords(paymentType, reader, indexes.payments, query),
  ]);
  if (invoices.total > maxOfCustomer || payments.total > maxOfCustomer) return undefined;
  const refunds = await readRefundsOf(reader, payments.rows);
  return { invoices: invoices.rows, payments: payments.rows, refunds };
}

async function readRefundsOf(reader: Reader, payments: readonly Payment[]): Promise<readonly Refund[]> {
  const limited = limitConcurrency(callsAtOnce);
  const query = { ...all, status: undefined };
  const found = await Promise.all(
    payments
      .filter(({ amountRefunded }) => amountRefunded > 0)
      .map(({ id: paymentId }) =>
        limited(async () => {
          const view = await readRefundIndex(reader.owner, { paymentId, invoiceId: undefined });
          return (await listRecords(refundType, reader, view, query)).rows;
        }),
      ),
  );
  return found.flat();
}
