/**
 * Reads the rows of records with sequence numbers: invoices, their lines, payments, refunds and customers.
 *
 * - The set ends with the last number that was allocated when it was fixed. A record has its number for ever, so the order and the set
 *   stay as they are. What a row says, and whether a filter by status selects it, is as of the moment of its read.
 * - Records are found by their ids, which follow from the numbers. So an export is complete even if a list lacks a record.
 */
import { type Owner, recordId } from '../../base/ids.ts';
import { type Customer, showCustomer } from '../../domain/customers/customer.ts';
import { customerType } from '../../domain/customers/record.ts';
import { readInvoiceNumbers } from '../../domain/documents/invoice-number-store.ts';
import { countIn, countRefundIn, hasCounted } from '../../domain/exports/counted-money.ts';
import { toInvoiceRows, toLineRows, toWholePayment, withCustomerNames } from '../../domain/exports/rows.ts';
import { type Invoice, showInvoice } from '../../domain/invoices/invoice.ts';
import { invoiceType } from '../../domain/invoices/record.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { paymentType } from '../../domain/payments/record.ts';
import { refundType } from '../../domain/refunds/record.ts';
import { type Refund, showRefund } from '../../domain/refunds/refund.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { type NumberedRecord, type NumberedType, readRecords } from '../../store/records.ts';
import { type AllocatedNumbers, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import {
  isInRange,
  matchesExportFilters,
  type RowBatch,
  type RowScope,
  type RowSource,
} from './row-source.ts';

/** DynamoDB's limit for one call, and how many calls are made at once. */
const idsPerCall = 100;
const callsAtOnce = 5;

type ToRows<T> = (
  owner: Owner,
  records: readonly T[],
  scope: RowScope,
) => Promise<readonly object[]> | readonly object[];

type IsChosen<T> = (scope: RowScope, record: T) => boolean;

/**
 * Returns the source of a type of records.
 * @param toRows returns up to 100 records as rows
 * @param isChosen whether a record is in the range. The default: it was created in it
 */
function numberedRows<T extends NumberedRecord & { readonly createdAt: number }>(
  type: NumberedType<T>,
  toRows: ToRows<T>,
  isChosen: IsChosen<T> = (scope, { createdAt }) => isInRange(scope, createdAt),
): RowSource {
  const { resource } = type;
  return {
    lastOf: async ({ owner }) => String((await readAllocatedNumbers(owner))?.allocated[resource] ?? 0),
    async *read(scope, after, until) {
      const numbers = await readAllocatedNumbers(scope.owner);
      if (!numbers) return;
      const last = Number(until);
      const readPart = (first: number) => readSome(scope, numbers, { type, toRows, isChosen, first, last });
      const step = idsPerCall * callsAtOnce;
      for (let first = Number(after ?? 0) + 1; first <= last; first += step) {
        const starts = Array.from({ length: callsAtOnce }, (_, call) => first + call * idsPerCall);
        const parts = await Promise.all(starts.filter((start) => start <= last).map(readPart));
        yield {
          cursor: String(Math.min(first + step - 1, last)),
          rows: parts.flatMap(({ rows }) => rows),
          leftOut: parts.reduce((sum, { leftOut }) => sum + leftOut, 0),
        };
      }
    },
  };
}

interface PartOfNumbers<T extends NumberedRecord> {
  readonly type: NumberedType<T>;
  readonly toRows: ToRows<T>;
  readonly isChosen: IsChosen<T>;
  readonly first: number;
  readonly last: number;
}

async function readSome<T extends NumberedRecord & { readonly createdAt: number }>(
  scope: RowScope,
  { idKeys }: AllocatedNumbers,
  { type, toRows, isChosen, first, last }: PartOfNumbers<T>,
): Promise<Omit<RowBatch, 'cursor'>> {
  const { owner } = scope;
  const ids = Array.from({ length: Math.min(idsPerCall, last - first + 1) }, (_, index) =>
    recordId(idKeys.of(first + index), { ...owner, resource: type.resource }, first + index),
  );
  const { records, malformed } = await readRecords(type, owner, ids);
  noteLeftOut(malformed.values());
  const selected = ids.flatMap((id) => {
    const record = records.get(id);
    return record && isChosen(scope, record) && matchesExportFilters(scope, record) ? [record] : [];
  });
  return {
    rows: selected.length === 0 ? [] : await toRows(owner, selected, scope),
    leftOut: malformed.size,
  };
}

async function invoiceRows(owner: Owner, invoices: readonly Invoice[]) {
  const numbers = await readInvoiceNumbers(
    owner,
    invoices.map(({ id }) => id),
  );
  return toInvoiceRows(
    owner,
    invoices.map((invoice) => showInvoice(invoice, numbers.get(invoice.id))),
  );
}

export const invoicesSource = numberedRows<Invoice>(invoiceType, invoiceRows);

export const linesSource = numberedRows<Invoice>(invoiceType, async (owner, invoices) =>
  toLineRows(await invoiceRows(owner, invoices)),
);

const notCounted = { countedOn: null, amountCounted: 0 } as const;

/**
 * A payment is in the range on whose days the sums count its money, so that the rows add up to them. One that has no money is in the range
 * of its creation.
 */
export const paymentsSource = numberedRows<Payment>(
  paymentType,
  (owner, payments, { record }) =>
    withCustomerNames(
      owner,
      payments.map((payment) => ({
        ...toWholePayment(payment),
        ...(countIn(record, payment) ?? notCounted),
      })),
    ),
  (scope, payment) =>
    hasCounted(payment) ? countIn(scope.record, payment) !== undefined : isInRange(scope, payment.createdAt),
);

/** The same for refunds. One that was never processed is in the range of its creation. */
export const refundsSource = numberedRows<Refund>(
  refundType,
  (_, refunds, { record }) =>
    refunds.map((refund) => ({ ...showRefund(refund), ...(countRefundIn(record, refund) ?? notCounted) })),
  (scope, refund) =>
    refund.processedAt === undefined
      ? isInRange(scope, refund.createdAt)
      : countRefundIn(scope.record, refund) !== undefined,
);

/** A deleted customer has no data. */
export const customersSource = numberedRows<Customer>(customerType, (_, customers) =>
  customers.filter(({ status }) => status === 'active').map(showCustomer),
);
