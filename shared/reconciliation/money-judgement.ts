/** Whether invoices, payments and refunds agree. Pure. */
import type { Invoice } from '../invoices/invoice.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';
import type { NumberedRecord } from '../store/records.ts';
import type { Difference, Rule } from './difference.ts';
import type { Facts } from './facts.ts';

/** What disagrees with the page's records. */
export function moneyDifferences(facts: Facts): Difference[] {
  return [...facts.ids.values()].flatMap((id) => {
    const record = facts.records.get(id);
    if (!record) return [];
    const found = new Findings(record);
    if (facts.resource === 'invoice') judgeInvoice(record as Invoice, facts, found);
    if (facts.resource === 'payment') judgePayment(record as Payment, facts, found);
    if (facts.resource === 'refund') judgeRefund(record as Refund, facts, found);
    const { account, mode, resource } = facts;
    const { seq } = record;
    const { evidence } = found;
    return found.all.map((difference) => ({ account, mode, resource, seq, id, ...difference, evidence }));
  });
}

/** What breaks a rule of one record. */
class Findings {
  readonly all: Pick<Difference, 'rule' | 'expected' | 'found'>[] = [];
  #seen: string[] = [];

  constructor(record: NumberedRecord) {
    this.sees(record);
  }

  /** The judgement depends upon these records. */
  sees(...records: readonly (NumberedRecord | undefined)[]): void {
    this.#seen.push(...records.map((record) => (record ? `${record.id}@${record.version}` : 'none')));
  }

  get evidence(): string {
    return this.#seen.join(' ');
  }

  add(rule: Rule, expected: string | number, found: string | number): void {
    this.all.push({ rule, expected, found });
  }

  equal(rule: Rule, expected: string | number, found: string | number): void {
    if (expected !== found) this.add(rule, expected, found);
  }
}

/** A paid invoice has one completed payment: that of its receipt. Any other is judged with the payments. */
function judgeInvoice(invoice: Invoice, { payments, refunds }: Facts, found: Findings): void {
  const { id, status, receipt, paymentInProgress, refundedMinor = 0 } = invoice;
  if (status === 'paid') {
    const payment = payments.get(receipt?.paymentId ?? '');
    found.sees(payment);
    if (payment?.status !== 'completed' || payment.invoiceId !== id) {
      found.add(
        'invoice_without_payment',
        'a completed payment',
        payment ? `${payment.id} ${payment.status}` : 'none',
      );
    }
  }
  if (paymentInProgress !== undefined) {
    const payment = payments.get(paymentInProgress);
    found.sees(payment);
    found.equal(
      'payment_in_progress',
      `${paymentInProgress} pending`,
      `${paymentInProgress} ${payment?.status ?? 'missing'}`,
    );
  }
  // One that shows none is judged with the refunds.
  if (refundedMinor > 0) {
    const own = refunds.filter(({ invoiceId }) => invoiceId === id);
    found.sees(...own);
    found.equal('refund_note_differs', sumOf(own, 'processed'), refundedMinor);
  }
}

function judgePayment(payment: Payment, { invoices, refunds }: Facts, found: Findings): void {
  const { id, status, amount, amountRefunded, amountReserved } = payment;
  const own = refunds.filter(({ paymentId }) => paymentId === id);
  found.sees(...own);
  if (status !== 'failed') judgeReason(payment, invoices.get(payment.invoiceId), own, found);
  if (amountRefunded + amountReserved === 0) return;
  if (status !== 'completed') found.add('payment_not_completed', 'completed', status);
  const owed = payment.owed === 'refund' ? amount : 0;
  found.equal('refunded_sum_differs', sumOf(own, 'processed'), amountRefunded);
  found.equal('reserved_sum_differs', sumOf(own, 'pending') + owed, amountReserved);
  if (amountRefunded + amountReserved > amount) {
    found.add('refunded_above_amount', `at most ${amount}`, amountRefunded + amountReserved);
  }
}

/** What the payment is for: its invoice, or a refund if that needed no payment any more. */
function judgeReason(
  { id, status, amount, currency, invoiceId, owed }: Payment,
  invoice: Invoice | undefined,
  refunds: readonly Refund[],
  found: Findings,
): void {
  found.sees(invoice);
  if (!invoice) {
    found.add('invoice_missing', invoiceId, 'none');
    return;
  }
  found.equal('amount_differs', invoice.amount, amount);
  found.equal('currency_differs', invoice.currency, currency);
  if (status === 'pending') found.equal('payment_in_progress', id, invoice.paymentInProgress ?? 'none');
  if (status !== 'completed' || (invoice.status === 'paid' && invoice.receipt?.paymentId === id)) return;
  // The provider may have refused the refund: then the account holder was told.
  if (owed === 'refund' || refunds.some((refund) => refund.amount === amount)) return;
  const how = invoice.receipt ? ` by ${invoice.receipt.paymentId}` : '';
  found.add('payment_for_nothing', `paid by ${id}`, `${invoice.status}${how}`);
}

function judgeRefund(refund: Refund, { payments, invoices }: Facts, found: Findings): void {
  const { status, amount, currency, paymentId, invoiceId } = refund;
  const payment = payments.get(paymentId);
  found.sees(payment);
  if (!payment) {
    found.add('payment_missing', paymentId, 'none');
    return;
  }
  found.equal('currency_differs', payment.currency, currency);
  found.equal('invoice_differs', payment.invoiceId, invoiceId);
  if (status === 'failed') return;
  // A payment of which anything goes back was judged with all of its refunds.
  if (payment.amountRefunded + payment.amountReserved === 0) found.add('refund_not_in_payment', amount, 0);
  if (status !== 'processed') return;
  const invoice = invoices.get(invoiceId);
  found.sees(invoice);
  if (!invoice) {
    found.add('invoice_missing', invoiceId, 'none');
    return;
  }
  if (!invoice.refundedMinor) found.add('refund_not_in_invoice', amount, 0);
}

function sumOf(refunds: readonly Refund[], status: Refund['status']): number {
  return refunds.reduce((sum, refund) => (refund.status === status ? sum + refund.amount : sum), 0);
}
