/**
 * Computes the statement of account of a customer from its records. Pure.
 *
 * - Invoices raise what the customer owes. Payments, credits, write-offs and cancellations lower it, and money that goes back raises it
 *   again. A payment counts in full, so money that no invoice needs is a credit of the customer until it goes back.
 * - The records decide, so an amount that was corrected counts as corrected from the beginning, and a voided payment never counts.
 * - A payment is of the day of its receipt, at the end of it if it was recorded later.
 * - The balance after all movements is what the open invoices leave to pay, less what is unapplied. See `journal/chart.ts`.
 */
import { type Currency, currencies } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import { endOfDayIn, instantIn } from '../accounts/fiscal-year.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountWrittenOffOf, isPaidBy } from '../invoices/received-money.ts';
import { paymentBalance } from '../journal/chart.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';

export type MovementKind = 'invoice' | 'cancelled' | 'written_off' | 'payment' | 'credit' | 'refund';

/** A change of what a customer owes. */
export interface Movement {
  readonly at: Instant;
  readonly kind: MovementKind;
  readonly currency: Currency;
  /** In the smallest unit of the currency. Above 0: the customer owes more. */
  readonly amount: number;
  /** The invoice that it belongs to. */
  readonly invoiceId: string;
  /** The payment that it belongs to. */
  readonly paymentId?: string | undefined;
}

/** The records of a customer. */
export interface CustomerRecords {
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  /** Those of the payments. A processed one changes no more, so its last change is when the money went back. */
  readonly refunds: readonly Refund[];
}

/** A movement with what the customer owes after it. */
export type AccountStatementRow = Movement & { readonly balance: number };

/** The statement in one currency. */
export interface AccountStatement {
  readonly currency: Currency;
  readonly opening: number;
  readonly rows: readonly AccountStatementRow[];
  readonly closing: number;
}

/** Of movements of the same moment, the order in which they are shown. */
const order: readonly MovementKind[] = ['invoice', 'payment', 'written_off', 'cancelled', 'credit', 'refund'];

/**
 * Returns the statements of the currencies that occur until the end of the range.
 * @param range `from` is its first instant, and `until` the first instant after it
 * @param timeZone that of the days of receipt: an IANA name
 */
export function accountStatementsOf(
  records: CustomerRecords,
  { from, until }: { readonly from: Instant; readonly until: Instant },
  timeZone: string,
): readonly AccountStatement[] {
  const all = movementsOf(records, timeZone).filter(({ at }) => at < until);
  return currencies.flatMap((currency) => {
    const own = all.filter((movement) => movement.currency === currency);
    if (own.length === 0) return [];
    const opening = sumOf(own.filter(({ at }) => at < from));
    let balance = opening;
    const rows = own
      .filter(({ at }) => at >= from)
      .map((movement) => {
        balance += movement.amount;
        return { ...movement, balance };
      });
    return [{ currency, opening, rows, closing: balance }];
  });
}

/** A refund, with when it was processed. */
type ProcessedRefund = Refund & { readonly at: Instant };

/** Returns all movements, the oldest first. @param timeZone that of the days of receipt: an IANA name */
export function movementsOf(
  { invoices, payments, refunds }: CustomerRecords,
  timeZone: string,
): readonly Movement[] {
  const paymentById = new Map(payments.map((payment) => [payment.id, payment]));
  const processed = refunds.flatMap((refund): ProcessedRefund[] =>
    refund.status === 'processed' && refund.processedAt !== undefined
      ? [{ ...refund, at: refund.processedAt }]
      : [],
  );
  const refundsOf = Map.groupBy(processed, ({ invoiceId }) => invoiceId);
  const movements = [
    ...invoices.flatMap((invoice) => [
      ...movementsOfInvoice(invoice, paymentById),
      ...creditsOf(invoice, refundsOf.get(invoice.id) ?? []),
    ]),
    ...payments.map((payment) => movementOfPayment(payment, timeZone)),
    ...processed.map(
      ({ at, currency, amount, invoiceId, paymentId }): Movement => ({
        ...{ at, kind: 'refund', currency, amount, invoiceId, paymentId },
      }),
    ),
  ];
  return movements
    .filter(({ amount }) => amount !== 0)
    .sort((one, other) => one.at - other.at || order.indexOf(one.kind) - order.indexOf(other.kind));
}

function movementsOfInvoice(invoice: Invoice, payments: ReadonlyMap<string, Payment>): Movement[] {
  const { id: invoiceId, amount, currency, createdAt, updatedAt, status, replacedBy, parts = [] } = invoice;
  const movement = (at: Instant, kind: MovementKind, value: number): Movement => ({
    ...{ at, kind, currency, amount: value, invoiceId },
  });
  const issued = movement(createdAt, 'invoice', amount);
  if (status === 'cancelled' || replacedBy !== undefined)
    return [issued, movement(updatedAt, 'cancelled', -amount)];
  const closing = parts.find(({ writtenOff = 0 }) => writtenOff > 0);
  const closedAt = (closing && payments.get(closing.paymentId)?.createdAt) ?? updatedAt;
  return [issued, movement(closedAt, 'written_off', -amountWrittenOffOf(invoice))];
}

function movementOfPayment(payment: Payment, timeZone: string): Movement {
  const { id: paymentId, createdAt, receivedOn, currency, invoiceId } = payment;
  const received = amountIn(paymentBalance(payment), (account) => account.startsWith('received:'));
  const ended = receivedOn && endOfDayIn(timeZone, instantIn(timeZone, receivedOn, 12), 0);
  const at = ended ? Math.min(ended, createdAt) : createdAt;
  return { at, kind: 'payment', currency, amount: -received, invoiceId, paymentId };
}

/** Returns what refunds take from the amount of an invoice. */
const creditsOf = (invoice: Invoice, refunds: readonly ProcessedRefund[]): Movement[] =>
  refunds
    .filter(({ paymentId }) => isPaidBy(invoice, paymentId))
    .map(({ at, amount, amountOver = 0, currency, paymentId }) => ({
      ...{ at, kind: 'credit', currency, amount: amountOver - amount, invoiceId: invoice.id, paymentId },
    }));

const amountIn = (
  entries: readonly { readonly account: string; readonly amount: number }[],
  isWanted: (account: string) => boolean,
): number => sumOf(entries.filter(({ account }) => isWanted(account)));

const sumOf = (entries: readonly { readonly amount: number }[]): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);
