/** Finds invoices, payments and refunds that do not agree. Pure. */
import { isRecordId, type Resource } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import {
  amountPaidOf,
  hasParts,
  isCredited,
  openAmountOf,
  paymentsOf,
} from '../../domain/invoices/received-money.ts';
import { isPayable } from '../../domain/invoices/transitions.ts';
import { isKeptAsCredit } from '../../domain/payments/credit.ts';
import { outcomeWithinMs } from '../../domain/payments/next-poll-at.ts';
import { amountCreditedOf, type Payment } from '../../domain/payments/payment.ts';
import { isOrWasFor } from '../../domain/payments/payment-changes.ts';
import type { RowUse } from '../../domain/payments/row-use.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { isKnownStatus } from '../../store/lists/pages/index-pages.ts';
import type { NumberedRecord } from '../../store/records.ts';
import type { Difference, Rule } from './difference.ts';
import { type Facts, type RecordOf, resources } from './facts.ts';

/** Compares the page's records with the records that belong to them. */
export function findMoneyDifferences(facts: Facts): Difference[] {
  const { account, mode, resource } = facts;
  return recordsOf(facts).flatMap((record) => {
    const { id, seq } = record;
    const { isUncertain, all, evidence } = check(record, facts);
    if (isUncertain) return [];
    return all.map((difference) => ({ account, mode, resource, seq, id, ...difference, evidence }));
  });
}

/**
 * Returns the numbers of the records that cannot be judged, because a newer version set a status, or because a record that they
 * name is malformed.
 */
export function findUncertainNumbers(facts: Facts): number[] {
  return recordsOf(facts)
    .filter((record) => check(record, facts).isUncertain)
    .map(({ seq }) => seq);
}

/** Returns the records of a page in the order of their numbers. */
const recordsOf = ({ ids, records }: Facts) => [...ids.values()].flatMap((id) => records.get(id) ?? []);

function check(record: RecordOf[Resource], facts: Facts): Findings {
  const found = new Findings(record);
  found.addMalformed([...namesIn(record, facts), ...replacementsOf(record as Partial<Invoice>)], facts);
  if (facts.resource === 'invoice') checkInvoice(record as Invoice, facts, found);
  if (facts.resource === 'payment') checkPayment(record as Payment, facts, found);
  if (facts.resource === 'refund') checkRefund(record as Refund, facts, found);
  return found;
}

/** Returns the ids of the records that a record is compared with. Refunds do not follow from it, so these are all that were read. */
function namesIn(record: RecordOf[Resource], { malformed }: Facts): string[] {
  const named = record as Partial<Invoice & Payment & Refund>;
  const { invoiceId, paymentId, paymentInProgress, statementRow, creditFrom, creditUses = [] } = named;
  const { refundedMinor, amountRefunded, amountReserved } = named;
  const hasRefunds = Boolean(refundedMinor || amountRefunded || amountReserved);
  const refunds = hasRefunds ? [...malformed.keys()].filter((id) => isRecordId('refund', id)) : [];
  const credit = [creditFrom, ...creditUses.map((use) => use.paymentId)];
  return [
    ...[invoiceId, paymentId, ...paymentsOf(named), paymentInProgress, statementRow],
    ...[...credit, ...refunds],
  ].filter((id) => id !== undefined);
}

/** Returns the ids of the invoices that an invoice replaces, and by which it is replaced. */
const replacementsOf = ({ replaces, replacedBy }: Partial<Invoice>): string[] =>
  [replaces ?? [], replacedBy ?? []].flat();

/** Collects the rules that one record breaks. */
class Findings {
  readonly all: Pick<Difference, 'rule' | 'expected' | 'found'>[] = [];
  #versions: string[] = [];
  #isUncertain = false;

  constructor(record: NumberedRecord) {
    this.addEvidence(record);
  }

  /** Notes that the result depends on records that cannot be read. They are differences of their own. */
  addMalformed(ids: readonly string[], { malformed }: Facts): void {
    this.#isUncertain ||= ids.some((id) => malformed.has(id));
  }

  /** Notes that the result depends on the present versions of these records. */
  addEvidence(...records: readonly (NumberedRecord | undefined)[]): void {
    this.#versions.push(...records.map((record) => (record ? `${record.id}@${record.version}` : 'none')));
    this.#isUncertain ||= records.some((record) => record && !hasKnownStatus(record));
  }

  /** Notes that the result depends on what came of a row of a bank statement. */
  addRow(use: RowUse | undefined): void {
    this.#versions.push(use ? `${use.id}@${use.version}` : 'none');
  }

  /** Whether only a newer version can judge the record, or nobody before another one is repaired. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  get evidence(): string {
    return this.#versions.join(' ');
  }

  add(rule: Rule, expected: string | number, found: string | number): void {
    this.all.push({ rule, expected, found });
  }

  requireEqual(rule: Rule, expected: string | number, found: string | number): void {
    if (expected !== found) this.add(rule, expected, found);
  }
}

function hasKnownStatus({ id, status }: NumberedRecord): boolean {
  const resource = resources.find((candidate) => isRecordId(candidate, id));
  return resource !== undefined && isKnownStatus(resource, status);
}

/**
 * Checks that an invoice has the completed payments that it names, and that it is paid exactly if they come to its amount. Its other
 * payments are checked when the payments are.
 */
function checkInvoice(invoice: Invoice, { payments, invoices, refunds }: Facts, found: Findings): void {
  const { id, status, paymentInProgress, refundedMinor = 0 } = invoice;
  checkParts(invoice, payments, found);
  checkReplacement(invoice, invoices, found);
  if (status === 'paid' && !hasParts(invoice) && !isCredited(invoice)) {
    const payment = payments.get(invoice.receipt?.paymentId ?? '');
    found.addEvidence(payment);
    if (!payment || !counts(payment) || payment.invoiceId !== id) {
      found.add(
        'invoice_without_payment',
        'a completed payment',
        payment ? `${payment.id} ${payment.status}` : 'none',
      );
    }
  }
  if (paymentInProgress !== undefined) {
    const payment = payments.get(paymentInProgress);
    found.addEvidence(payment);
    found.requireEqual(
      'payment_in_progress',
      `${paymentInProgress} pending`,
      `${paymentInProgress} ${payment?.status ?? 'missing'}`,
    );
  }
  // An invoice that counts no refunds is checked when the refunds are.
  if (refundedMinor > 0) {
    const own = refunds.filter(({ invoiceId }) => invoiceId === id);
    found.addEvidence(...own);
    found.requireEqual('refund_note_differs', sumOf(own, 'processed'), refundedMinor);
  }
}

/** Checks that an invoice and the one that replaces it name each other, and that the replaced one is closed and counts nothing. */
function checkReplacement(invoice: Invoice, invoices: Facts['invoices'], found: Findings): void {
  const { id, status, replaces, replacedBy } = invoice;
  for (const [other, back] of [
    [replaces, 'replacedBy'],
    [replacedBy, 'replaces'],
  ] as const) {
    if (other === undefined) continue;
    const related = invoices.get(other);
    found.addEvidence(related);
    found.requireEqual('replacement_differs', id, related?.[back] ?? 'none');
  }
  if (replacedBy === undefined) return;
  if (status !== 'paid' && status !== 'cancelled')
    found.add('replacement_differs', 'paid or cancelled', status);
  if (paymentsOf(invoice).length > 0) found.add('replacement_differs', 'no payments', amountPaidOf(invoice));
}

/** Whether a payment has received money that its invoice can count. */
const counts = ({ status, voidedAt }: Payment): boolean => status === 'completed' && voidedAt === undefined;

/** Checks the payments of parts, and what they come to. */
function checkParts(invoice: Invoice, payments: Facts['payments'], found: Findings): void {
  if (!hasParts(invoice)) return;
  const named = paymentsOf(invoice).map((paymentId) => payments.get(paymentId));
  found.addEvidence(...named);
  const counted = named.filter((payment) => payment && counts(payment) && payment.invoiceId === invoice.id);
  const received = counted.reduce(
    (sum, payment) => sum + (payment ? payment.amount - (payment.amountOver ?? 0) : 0),
    0,
  );
  found.requireEqual('amount_paid_differs', received, amountPaidOf(invoice));
  if (openAmountOf(invoice) < 0) found.add('paid_above_amount', `at most ${invoice.amount}`, received);
  if (invoice.status === 'cancelled') return;
  const isPaid = openAmountOf(invoice) <= 0;
  found.requireEqual('paid_too_early', isPaid ? 'paid' : 'open', invoice.status === 'paid' ? 'paid' : 'open');
}

function checkPayment(payment: Payment, facts: Facts, found: Findings): void {
  const { refunds } = facts;
  const { id, status, amount, amountRefunded, amountReserved } = payment;
  const own = refunds.filter(({ paymentId }) => paymentId === id);
  found.addEvidence(...own);
  checkRow(payment, facts, found);
  checkCredit(payment, facts, found);
  if (payment.voidedAt !== undefined) checkVoided(payment, facts, found);
  else if (status !== 'failed') checkPurpose(payment, facts, own, found);
  if (amountRefunded + amountReserved === 0) return;
  if (status !== 'completed' && payment.failureCode !== 'amount_differs')
    found.add('payment_not_completed', 'completed', status);
  const returnable = amount - amountRefunded - amountCreditedOf(payment);
  const pendingCompensation = payment.pendingCompensation === 'refund' ? returnable : 0;
  found.requireEqual('refunded_sum_differs', sumOf(own, 'processed'), amountRefunded);
  const over = own.reduce((sum, refund) => sum + (refund.amountOver ?? 0), 0);
  found.requireEqual('refunded_sum_differs', over, payment.overRefunded ?? 0);
  found.requireEqual('reserved_sum_differs', sumOf(own, 'pending') + pendingCompensation, amountReserved);
  if (amountRefunded + amountReserved > amount) {
    found.add('refunded_above_amount', `at most ${amount}`, amountRefunded + amountReserved);
  }
}

/** Checks that the payment pays its invoice, or was refunded because the invoice no longer needed it. */
function checkPurpose(
  payment: Payment,
  { invoices, readAt }: Facts,
  refunds: readonly Refund[],
  found: Findings,
): void {
  const { id, status, amount, currency, invoiceId, pendingCompensation } = payment;
  const invoice = invoices.get(invoiceId);
  found.addEvidence(invoice);
  if (!invoice) {
    found.add('invoice_missing', invoiceId, 'none');
    return;
  }
  // A payment on the page of a provider can arrive after the invoice has changed. It is refunded then.
  const isNamed = paymentsOf(invoice).includes(id);
  if (payment.method !== 'provider' || isNamed) checkAmount(payment, invoice, found);
  found.requireEqual('currency_differs', invoice.currency, currency);
  if (status === 'pending' && !canBeDetached(payment, readAt))
    found.requireEqual('payment_in_progress', id, invoice.paymentInProgress ?? 'none');
  if (status !== 'completed' || (isNamed && invoice.status !== 'cancelled')) return;
  // A failed refund counts, too: the account holder was notified that the provider rejected it.
  if (pendingCompensation === 'refund' || sumOf(refunds) >= amount - amountCreditedOf(payment)) return;
  if (!isPayable(invoice) && isKeptAsCredit(payment)) return;
  const otherPayment = invoice.receipt ? ` by ${invoice.receipt.paymentId}` : '';
  found.add('payment_for_nothing', `paid by ${id}`, `${invoice.status}${otherPayment}`);
}

/** Checks that the row of a bank statement counts the payment that it made, and no voided one. */
function checkRow(
  { id, amount, statementRow, voidedAt }: Payment,
  { rowUses }: Facts,
  found: Findings,
): void {
  if (statementRow === undefined) return;
  const use = rowUses.get(statementRow);
  found.addRow(use);
  const own = use?.payments.find(({ paymentId }) => paymentId === id);
  found.requireEqual('row_differs', voidedAt === undefined ? amount : 0, own?.amount ?? 0);
}

/** Checks that a payment with credit and its source name each other with the same amount, and that no more is used than there is. */
function checkCredit(payment: Payment, { payments }: Facts, found: Findings): void {
  const { id, amount, amountOver = 0, creditFrom, creditUses = [] } = payment;
  if (creditFrom !== undefined) {
    const source = payments.get(creditFrom);
    found.addEvidence(source);
    const use = source?.creditUses?.find(({ paymentId }) => paymentId === id);
    found.requireEqual('credit_differs', counts(payment) ? amount : 0, use?.amount ?? 0);
  }
  for (const use of creditUses) {
    const user = payments.get(use.paymentId);
    found.addEvidence(user);
    const isUsed = user && counts(user) && user.creditFrom === id && user.currency === payment.currency;
    found.requireEqual('credit_differs', use.amount, isUsed ? user.amount : 0);
  }
  const used = amountCreditedOf(payment);
  if (used > amountOver) found.add('credit_differs', `at most ${amountOver}`, used);
}

/** Checks that no invoice counts a voided payment, and that nothing of it was refunded. */
function checkVoided(
  { id, invoiceId, amountRefunded, amountReserved }: Payment,
  { invoices }: Facts,
  found: Findings,
): void {
  const invoice = invoices.get(invoiceId);
  found.addEvidence(invoice);
  if (!invoice) found.add('invoice_missing', invoiceId, 'none');
  else if (paymentsOf(invoice).includes(id)) found.add('voided_payment_counts', 'not counted', invoiceId);
  const refunded = amountRefunded + amountReserved;
  if (refunded > 0) found.add('voided_payment_counts', 0, refunded);
}

/** With `outcomeWithinMs`, the checkout of a payment and the last poll about it. */
const endsWithinMs = outcomeWithinMs + 2 * 24 * 3_600_000;

/** A merchant can go on without a payment at a provider. It then stays pending until its outcome is known, or for some weeks. */
const canBeDetached = ({ method, createdAt }: Payment, readAt: Instant): boolean =>
  method === 'provider' && readAt <= createdAt + endsWithinMs;

/** Checks the amount of a payment. The merchant can have accepted another one, and then the payment says what is over. */
function checkAmount(payment: Payment, invoice: Invoice, found: Findings): void {
  const { id, amount, amountOver, settle } = payment;
  const needed = amount - (amountOver ?? 0);
  if (isKeptAsCredit(payment)) return;
  const part = invoice.parts?.find(({ paymentId }) => paymentId === id);
  const isWhole = !invoice.parts && invoice.receipt?.paymentId === id;
  // A part that is not counted yet, or not any more, can be of any amount up to that of the invoice.
  if (!part && !isWhole && (invoice.acceptPartial || invoice.parts)) {
    if (needed > invoice.amount) found.add('amount_differs', `at most ${invoice.amount}`, needed);
    return;
  }
  if (settle) found.requireEqual('amount_differs', settle.writeOff, part?.writtenOff ?? 0);
  if (part) found.requireEqual('amount_differs', part.amount, needed);
  else if (amountOver === undefined) found.requireEqual('amount_differs', invoice.amount, amount);
  else found.requireEqual('amount_differs', Math.max(0, amount - invoice.amount), amountOver);
}

function checkRefund(refund: Refund, { payments, invoices, rowUses }: Facts, found: Findings): void {
  const { id, status, amount, currency, paymentId, invoiceId, statementRow } = refund;
  if (statementRow !== undefined) {
    const use = rowUses.get(statementRow);
    found.addRow(use);
    found.requireEqual('row_differs', amount, use?.refund?.refundId === id ? amount : 0);
  }
  const payment = payments.get(paymentId);
  found.addEvidence(payment);
  if (!payment) {
    found.add('payment_missing', paymentId, 'none');
    return;
  }
  found.requireEqual('currency_differs', payment.currency, currency);
  // A payment whose refunds have all failed can have moved to another invoice since.
  const hasSame = payment.invoiceId === invoiceId || (status === 'failed' && isOrWasFor(payment, invoiceId));
  if (!hasSame) found.add('invoice_differs', payment.invoiceId, invoiceId);
  if (status === 'failed') return;
  // A payment that counts refunds was checked with all of its refunds.
  if (payment.amountRefunded + payment.amountReserved === 0) found.add('refund_not_in_payment', amount, 0);
  if (status !== 'processed') return;
  const invoice = invoices.get(invoiceId);
  found.addEvidence(invoice);
  if (!invoice) {
    found.add('invoice_missing', invoiceId, 'none');
    return;
  }
  if (!invoice.refundedMinor) found.add('refund_not_in_invoice', amount, 0);
}

/** @param status only of the refunds with this status. Without it, of all. */
function sumOf(refunds: readonly Refund[], status?: Refund['status']): number {
  const counted = refunds.filter((refund) => status === undefined || refund.status === status);
  return counted.reduce((sum, refund) => sum + refund.amount, 0);
}
