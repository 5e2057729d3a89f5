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

/** Checks that each payment and refund has one event with its outcome, and one more if it is voided, and no two of one version. */
export function outcomeViolations({ items, owner, events }: MoneyRecords): string[] {
  const { payment: payments, refund: refunds } = paymentAndRefundRecords(items, owner);
  const ofRecord = Map.groupBy(events, ({ data }) => data.id as string);
  return [...payments, ...refunds].flatMap(({ pk, status, voidedAt }) => {
    const own = ofRecord.get(pk) ?? [];
    const resource = pk.startsWith('pay_') ? 'payment' : 'refund';
    const outcomes = own.map(({ type }) => type).filter((type) => type !== 'payment.updated');
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
