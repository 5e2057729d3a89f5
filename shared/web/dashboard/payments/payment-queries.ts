/** Reads what the pages of payments and refunds show. Writes nothing. */
import type * as v from 'valibot';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type CustomerNames, noNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { findPayments, listPayments } from '../../../domain/payments/found-payments.ts';
import type { ListPayments, Payment } from '../../../domain/payments/payment.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { paymentType } from '../../../domain/payments/record.ts';
import type { listRefundsQuery, ShownRefund } from '../../../domain/refunds/refund.ts';
import { listRefundPage, readRefundIndex } from '../../../domain/refunds/refund-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Selection } from '../../../store/lists/pages/index-view.ts';

/** Reads a page of the list of payments, with the exact total. Two calls in sequence. */
export async function readPayments(
  owner: Owner,
  query: ListPayments & Pick<Selection, 'order'>,
  now: Instant,
) {
  const [{ principal }, source] = await Promise.all([
    readAccountUsage(owner, now),
    findPayments(owner, query),
  ]);
  return listPayments(principal, source, { ...query, isReadOnly: true });
}

type RefundsQuery = v.InferOutput<typeof listRefundsQuery>;

/** Reads a page of the list of refunds, with the exact total. Two calls in sequence. */
export async function readRefunds(
  owner: Owner,
  query: RefundsQuery & Pick<Selection, 'order'>,
  now: Instant,
) {
  const [{ principal }, view] = await Promise.all([
    readAccountUsage(owner, now),
    readRefundIndex(owner, query),
  ]);
  const { status, limit, offset, order } = query;
  return listRefundPage(principal, view, { status, limit, offset, order, isReadOnly: true });
}

export interface PaymentDetail {
  readonly payment: Payment;
  readonly names: CustomerNames;
  /** The newest refunds of the payment. */
  readonly refunds: readonly ShownRefund[];
  /** The number of all refunds of the payment. */
  readonly totalRefunds: number;
}

/**
 * Reads a payment with its refunds and the name of its customer. Two calls in sequence.
 * @returns undefined if the owner has no such payment
 */
export async function readPaymentDetail(
  owner: Owner,
  id: string,
  now: Instant,
): Promise<PaymentDetail | undefined> {
  if (!paymentType.isId(id)) return undefined;
  const query = { paymentId: id, invoiceId: undefined, status: undefined, offset: 0, limit: 20 };
  const [[payment, names], refunds] = await Promise.all([
    readNamedPayment(owner, id),
    readRefunds(owner, query, now),
  ]);
  return payment && { payment, names, refunds: refunds.data, totalRefunds: refunds.pagination.total };
}

async function readNamedPayment(
  owner: Owner,
  id: string,
): Promise<readonly [Payment | undefined, CustomerNames]> {
  const { record } = await readPayment(owner, id);
  return [record, record ? await readCustomerNames(owner, [record]) : noNames];
}
