/** Checks the amounts of invoices in every event, and the money of rows of statements. Pure: it looks only at what it is given. */
import type { TestItem } from '../support/table.ts';
import { paymentAndRefundRecords } from './stored-lifecycles.ts';

/** An event as the newest version of the API shows it. */
export interface MoneyEvent {
  readonly type: string;
  readonly objectVersion: number;
  readonly data: TestItem;
}
/** The records of an account, `account#mode`, and its events, oldest first. */
export interface MoneyRecords {
  readonly items: readonly TestItem[];
  readonly owner: string;
  readonly events: readonly MoneyEvent[];
}

/**
 * Checks that an invoice is paid in exactly the events in which it has received its amount, together with what is written off, and that
 * its last event has what its payments make.
 */
export function eventMoneyViolations({ items, owner, events }: MoneyRecords): string[] {
  const { payment: payments } = paymentAndRefundRecords(items, owner);
  const invoices = Map.groupBy(
    events.filter(({ data }) => data.id.startsWith('inv_')),
    ({ data }) => data.id as string,
  );
  return [...invoices].flatMap(([id, own]) => {
    const last = own.reduce((one, other) => (other.objectVersion > one.objectVersion ? other : one)).data;
    const paidEvents = own.filter(({ type }) => type === 'invoice.paid').length;
    return [
      ...own.flatMap(({ data, type }) => stateViolations(data, type)),
      ...(paidEvents > 1 ? [`${id} was paid ${paidEvents} times`] : []),
      ...receivedViolations(last, payments),
    ];
  });
}

function stateViolations(invoice: TestItem, type: string): string[] {
  const { id, status, amount, amountPaid, amountWrittenOff, amountDue, replacedBy } = invoice;
  if (status === 'cancelled' || (status === 'paid' && replacedBy !== null)) return [];
  const settled = amountPaid + amountWrittenOff;
  const found: string[] = [];
  if (settled + amountDue !== amount)
    found.push(`${id} has ${settled} and ${amountDue} of ${amount} in ${type}`);
  // A change to the amount that is paid announces the change before its effect.
  if ((status === 'paid') !== (amountDue === 0) && type !== 'invoice.updated')
    found.push(`${id} is ${status} with ${amountDue} due in ${type}`);
  return found;
}

/**
 * What an invoice received is what its payments have, without what is too much and without those that are voided. A payment that was
 * completed after the cancellation does not count, and all of it is returned.
 */
function receivedViolations({ id, status, amountPaid }: TestItem, payments: readonly TestItem[]): string[] {
  const counted = payments.filter(
    (payment) => payment.invoiceId === id && payment.status === 'completed' && !payment.voidedAt,
  );
  const sum = counted.reduce((total, { amount, amountOver = 0 }) => total + amount - amountOver, 0);
  const late = counted.filter(
    ({ amount, amountRefunded }) => status === 'cancelled' && amount === amountRefunded,
  );
  let possible = [sum];
  for (const { amount, amountOver = 0 } of late)
    possible = possible.flatMap((total) => [total, total - amount + amountOver]);
  return possible.includes(amountPaid)
    ? []
    : [`${id} is ${status} and has received ${amountPaid}, and its payments have ${sum}`];
}

/** The events of a payment that say no outcome. */
const beforeOutcome = new Set(['payment.updated', 'payment.held']);

/** Checks that each payment and refund has one event with its outcome, and one more if it is voided, and no two of one version. */
export function outcomeViolations({ items, owner, events }: MoneyRecords): string[] {
  const { payment: payments, refund: refunds } = paymentAndRefundRecords(items, owner);
  const ofRecord = Map.groupBy(events, ({ data }) => data.id as string);
  return [...payments, ...refunds].flatMap(({ pk, status, voidedAt }) => {
    const own = ofRecord.get(pk) ?? [];
    const resource = pk.startsWith('pay_') ? 'payment' : 'refund';
    const outcomes = own.map(({ type }) => type).filter((type) => !beforeOutcome.has(type));
    const expected = [`${resource}.${status}`, ...(voidedAt ? ['payment.voided'] : [])];
    const versions = new Set(own.map(({ objectVersion }) => objectVersion));
    return [
      ...(outcomes.sort().join() === expected.sort().join()
        ? []
        : [`${pk} is ${status}, and its events are ${outcomes}`]),
      ...(versions.size === own.length ? [] : [`${pk} has two events of one version`]),
    ];
  });
}

/** Checks that the payments of a row of a statement have no more than its money. */
export function rowViolations({ items, owner }: Omit<MoneyRecords, 'events'>): string[] {
  const { payment: payments } = paymentAndRefundRecords(items, owner);
  const ofRows = Map.groupBy(
    payments.filter(({ statementRow, voidedAt }) => statementRow && !voidedAt),
    ({ statementRow }) => String(statementRow),
  );
  const rows = new Map(
    items.filter(({ pk }) => pk.startsWith('st_')).flatMap((item) => (item.id ? [[item.id, item]] : [])),
  );
  return [...ofRows].flatMap(([id, own]) => {
    const sum = own.reduce((total, { amount }) => total + amount, 0);
    const amount = rows.get(id)?.amount;
    return amount !== undefined && sum > amount ? [`the row ${id} of ${amount} has paid ${sum}`] : [];
  });
}

/**
 * Checks that refunds give money back that no invoice needed before they are credits of an invoice, that the credit notes of an invoice come
 * to what was refunded of what it received, and that the journal has in `unapplied` what payers still have.
 * @param lines of the journal
 */
export function overViolations(
  { items, owner }: Omit<MoneyRecords, 'events'>,
  lines: readonly TestItem[],
): string[] {
  const { payment: payments, refund: refunds } = paymentAndRefundRecords(items, owner);
  const processed = refunds.filter(({ status }) => status === 'processed');
  const invoices = invoicesIn(items);
  const overOf = Map.groupBy(processed, ({ paymentId }) => paymentId as string);
  const violations = payments.flatMap((payment) => {
    const { pk, overRefunded = 0, amountOver = 0, creditUses = [] } = payment;
    const sum = sumOf(overOf.get(pk) ?? [], ({ amountOver: over = 0 }) => over);
    const credited = sumOf(overOf.get(pk) ?? [], (refund) => refund.amount - (refund.amountOver ?? 0));
    const used = sumOf(creditUses, (use) => use.amount);
    const isCounted = countsPayment(invoices.get(payment.invoiceId), pk);
    return [
      ...(sum === overRefunded
        ? []
        : [`${pk} counts ${overRefunded} as over and refunded, and it is ${sum}`]),
      ...(isCounted && sum + used > amountOver
        ? [`${pk} returns ${sum} and gives ${used} of ${amountOver}`]
        : []),
      ...(isCounted && credited > 0 && sum + used < amountOver && !wasUsed(pk, payments)
        ? [`${pk} returned ${credited} of its invoice before ${amountOver} that is over`]
        : []),
    ];
  });
  return [
    ...violations,
    ...noteViolations(items, processed),
    ...unappliedViolations(payments, invoices, lines),
  ];
}

/** Whether credit of a payment was used, and can have come back after a refund. */
const wasUsed = (id: string, payments: readonly TestItem[]) =>
  payments.some(({ creditFrom }) => creditFrom === id);

/** Checks what the credit notes of each invoice come to. One of a voided payment is over all of its invoice. */
function noteViolations(items: readonly TestItem[], processed: readonly TestItem[]): string[] {
  const refundsOf = Map.groupBy(processed, ({ invoiceId }) => invoiceId as string);
  return items.flatMap(({ pk, documents, credited }) => {
    if (!pk.startsWith('inv_') || !documents) return [];
    const invoice = items.find((item) => item.pk === pk && item.sk === 'RECORD');
    const refunded = sumOf(refundsOf.get(pk) ?? [], ({ amount, amountOver = 0 }) => amount - amountOver);
    const isReplaced = invoice?.status === 'paid' && invoice.replacedBy;
    const expected = isReplaced ? invoice.amount : refunded + (invoice?.payerNote?.creditedMinor ?? 0);
    const sum = credited?.amount ?? 0;
    return sum === expected ? [] : [`${pk} has credit notes of ${sum}, and not of ${expected}`];
  });
}

/** Checks that the journal has in `unapplied` what payers have left: what no invoice counts, without what is used and returned. */
function unappliedViolations(
  payments: readonly TestItem[],
  invoices: ReadonlyMap<string, TestItem>,
  lines: readonly TestItem[],
): string[] {
  const left = sumOf(payments.filter(hasMoney), (payment) => {
    const { pk, amount, amountRefunded, amountOver = 0, overRefunded = 0, creditUses = [] } = payment;
    const used = sumOf(creditUses, (use) => use.amount);
    const isCounted = countsPayment(invoices.get(payment.invoiceId), pk);
    return (isCounted ? amountOver - overRefunded : amount - amountRefunded) - used;
  });
  const unapplied = sumOf(
    lines.filter(({ account }) => account === 'unapplied'),
    ({ amount }) => amount,
  );
  return unapplied + left === 0 ? [] : [`the journal has ${unapplied} in unapplied, and payers have ${left}`];
}

const invoicesIn = (items: readonly TestItem[]): ReadonlyMap<string, TestItem> =>
  new Map(
    items.filter(({ pk, sk }) => sk === 'RECORD' && pk.startsWith('inv_')).map((item) => [item.pk, item]),
  );

const hasMoney = ({ status, method, voidedAt, failureCode }: TestItem): boolean =>
  method !== 'credit' && !voidedAt && (status === 'completed' || failureCode === 'amount_differs');

const countsPayment = (invoice: TestItem | undefined, id: string): boolean =>
  invoice !== undefined &&
  invoice.status !== 'cancelled' &&
  (invoice.parts
    ? invoice.parts.some(({ paymentId }: { paymentId: string }) => paymentId === id)
    : invoice.receipt?.paymentId === id);

const sumOf = (items: readonly TestItem[], amountOf: (item: TestItem) => number): number =>
  items.reduce((sum, item) => sum + amountOf(item), 0);
