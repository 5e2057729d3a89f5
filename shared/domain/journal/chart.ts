/**
 * Defines the accounts of the journal, and which balance each record gives them. Pure.
 *
 * - A balance says what is true of a record now. The entries of a change are the difference of two balances, so a rule is written
 *   once for all ways that lead to a state. `store/money-entries.ts` computes the difference.
 * - A debit is above 0, a credit below 0. Each balance adds up to 0.
 * - A payment and its invoice meet in `unapplied`: the payment brings the money, and the invoice takes what it needs. What stays there
 *   belongs to payers: money that came late, twice or above the amount. It can pay another invoice of the same customer.
 * - Entries contain no personal data, so an erasure leaves them.
 *
 * | account | what its balance is |
 * |---|---|
 * | `receivable` | what customers owe, by due date |
 * | `sales` | what was charged without taxes (credit) |
 * | `tax:<code>` | the taxes that the account owes (credit) |
 * | `tax_reversed` | the taxes of cancelled, replaced and refunded amounts. It balances what they take from `tax:<code>` |
 * | `cancelled` | the amounts of cancelled and replaced invoices, with taxes |
 * | `refunds` | what was returned of paid invoices, with taxes |
 * | `written_off` | what was given up of invoices, with taxes |
 * | `received:<way>` | money received, by `card`, `offline`, or the name of the provider, on the day of receipt if it is known |
 * | `refunded:<way>` | money returned (credit) |
 * | `unapplied` | money that no invoice needs, until it is returned or pays another invoice (credit) |
 * | `withdrawn:<way>` | money that a provider took back because of disputes (credit) |
 * | `fees:<way>` | what a provider charges for payments, without tax |
 * | `fee_tax:<way>` | the taxes of these fees |
 * | `fees_kept:<way>` | the fees with taxes, which the provider has kept of the money received (credit) |
 * | `disputes_open` | the amounts of disputes without a decision |
 * | `disputes_lost` | the amounts of lost disputes |
 */
import { apportion } from '../../base/decimal.ts';
import { endOfUtcDay } from '../../base/due-date.ts';
import type { MoneyEntry } from '../../store/money-entries.ts';

/** What the rules use of an invoice. Amounts are in the smallest unit of the currency. */
interface InvoiceMoney {
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly dueDate: string;
  readonly charges?:
    | { readonly taxes: readonly { readonly code: string; readonly amount: number }[] }
    | undefined;
  /** The payments of an invoice that is paid in parts. Undefined: one payment pays all of it. */
  readonly parts?:
    | readonly { readonly amount: number; readonly writtenOff?: number | undefined }[]
    | undefined;
  readonly replacedBy?: string | undefined;
  readonly refundedMinor?: number | undefined;
  readonly payerNote?:
    | { readonly unneededRefundedMinor?: number | undefined; readonly overRefundedMinor?: number | undefined }
    | undefined;
}

/** What the rules use of a payment. Amounts are in the smallest unit of the currency. */
interface PaymentMoney {
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly method: string;
  readonly provider?: string | undefined;
  readonly amountRefunded: number;
  readonly pendingReason?: string | undefined;
  readonly failureCode: string | null;
  readonly voidedAt?: number | undefined;
  /** `YYYY-MM-DD`. Undefined: the day on which the payment was completed. */
  readonly receivedOn?: string | undefined;
  readonly dispute?: { readonly status: string; readonly amount: number } | undefined;
  /** The amount has the tax. The currency is that in which the provider settles. */
  readonly fees?: { readonly amount: number; readonly tax: number; readonly currency: string } | undefined;
}

/**
 * Returns the balance of an invoice.
 *
 * - Issued: the customer owes the amount. It consists of sales and taxes.
 * - Paid, or paid in part: the payment has brought the money, so the customer owes less.
 * - Written off: the customer owes less, and nothing was received.
 * - Refunded: what was returned of what it received is taken from the taxes in proportion. Other money was never charged, so its
 *   refund is one of `unapplied`.
 * - Cancelled: the customer owes nothing, and no tax is due. Its payments, if any, are unapplied. It is the same for a paid invoice that
 *   another one replaces: that one has its payments.
 * - A status that a later release defines counts as issued.
 */
export function invoiceBalance(invoice: InvoiceMoney): readonly MoneyEntry[] {
  const { status, amount, currency, dueDate, charges, replacedBy } = invoice;
  const taxes = taxesOf(charges?.taxes ?? []);
  const tax = sum(taxes.map((row) => row.amount));
  const isCancelled = status === 'cancelled' || replacedBy !== undefined;
  const paid = isCancelled ? 0 : paidOf(invoice);
  const writtenOff = isCancelled ? 0 : writtenOffOf(invoice);
  const cancelled = isCancelled ? amount : 0;
  const refunded = isCancelled ? 0 : Math.min(amountReturnedOf(invoice), paid);
  const reversed = shareOf(cancelled + refunded, amount, taxes);
  const entry = (account: string, value: number): MoneyEntry => ({ account, currency, amount: value });
  return [
    { ...entry('receivable', amount - cancelled - paid - writtenOff), on: Date.parse(dueDate) },
    entry('sales', tax - amount),
    ...taxes.map((row, index) => entry(`tax:${row.code}`, (reversed[index] ?? 0) - row.amount)),
    entry('tax_reversed', -sum(reversed)),
    entry('cancelled', cancelled),
    entry('written_off', writtenOff),
    entry('refunds', refunded),
    entry('unapplied', paid - refunded),
  ];
}

/**
 * Returns the balance of a payment.
 *
 * - Completed: the money was received.
 * - Held, because the amount differs from that of the invoice: it was received, too. The merchant decides what becomes of it.
 * - Refused after it was held: what was received is returned with a refund.
 * - Voided: it was recorded by mistake, so nothing was received.
 * - With credit: another payment received the money, which is in `unapplied`. The invoice takes it from there.
 * - Refunded: the money was returned.
 * - Disputed: a provider takes the money back when a dispute opens, and returns it if the merchant wins. An inquiry moves no money.
 * - Fees: the provider keeps them of the money received, in the currency in which it settles.
 */
export function paymentBalance(payment: PaymentMoney): readonly MoneyEntry[] {
  const { amount, currency, method, provider, amountRefunded, dispute, receivedOn } = payment;
  const way = provider ?? method;
  const received = isReceived(payment) ? amount : 0;
  const open = dispute?.status === 'open' ? dispute.amount : 0;
  const lost = dispute?.status === 'lost' ? dispute.amount : 0;
  const entry = (account: string, value: number): MoneyEntry => ({ account, currency, amount: value });
  return [
    {
      ...entry(`received:${way}`, received),
      ...(receivedOn !== undefined && { on: endOfUtcDay(receivedOn) }),
    },
    entry(`refunded:${way}`, -amountRefunded),
    entry('unapplied', amountRefunded - received),
    entry(`withdrawn:${way}`, -open - lost),
    entry('disputes_open', open),
    entry('disputes_lost', lost),
    ...(payment.fees ? feeEntries(way, payment.fees) : []),
  ];
}

/** Whether the money of a payment was received. A refund does not change that. */
export const isReceived = ({
  status,
  method,
  voidedAt,
  pendingReason,
  failureCode,
}: Pick<PaymentMoney, 'status' | 'method' | 'voidedAt' | 'pendingReason' | 'failureCode'>): boolean =>
  (status === 'completed' && voidedAt === undefined && method !== 'credit') ||
  (status === 'pending' && pendingReason === 'amount_differs') ||
  (status === 'failed' && failureCode === 'amount_differs');

function feeEntries(
  way: string,
  { amount, tax, currency }: NonNullable<PaymentMoney['fees']>,
): readonly MoneyEntry[] {
  return [
    { account: `fees:${way}`, currency, amount: amount - tax },
    { account: `fee_tax:${way}`, currency, amount: tax },
    { account: `fees_kept:${way}`, currency, amount: -amount },
  ];
}

const paidOf = ({ status, amount, parts }: InvoiceMoney): number =>
  parts ? sum(parts.map((part) => part.amount)) : status === 'paid' ? amount : 0;

const writtenOffOf = ({ parts = [] }: InvoiceMoney): number =>
  sum(parts.map(({ writtenOff = 0 }) => writtenOff));

/**
 * Returns what was refunded of what an invoice has received. Money that it did not need, such as what was more than due, is not a part of
 * it. Of a cancelled invoice that is all of its money.
 */
export const amountReturnedOf = ({
  refundedMinor = 0,
  payerNote: { unneededRefundedMinor = 0, overRefundedMinor = 0 } = {},
}: Pick<InvoiceMoney, 'refundedMinor' | 'payerNote'>): number =>
  refundedMinor - unneededRefundedMinor - overRefundedMinor;

/** Returns one row for each code. CGST and SGST are parts of one code. */
function taxesOf(rows: readonly { readonly code: string; readonly amount: number }[]) {
  const byCode = Map.groupBy(rows, ({ code }) => code);
  return [...byCode].map(([code, parts]) => ({ code, amount: sum(parts.map((row) => row.amount)) }));
}

/** Returns the taxes in a part of the amount of an invoice, in the order of the taxes. All of the amount has all of them. */
function shareOf(
  part: number,
  amount: number,
  taxes: readonly { readonly amount: number }[],
): readonly number[] {
  const weights = taxes.map((row) => BigInt(row.amount));
  const net = BigInt(amount) - weights.reduce((one, other) => one + other, 0n);
  return apportion(BigInt(part), [...weights, net])
    .map(Number)
    .slice(0, taxes.length);
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
