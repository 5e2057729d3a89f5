/**
 * Reads payments and refunds from the table: how each record started, its outcome and how it is now. Also checks that
 * records and events agree. Pure: it looks only at the items that it is given.
 */
import { failures } from '../../shared/domain/payments/provider/failures.ts';
import { eventTextOf } from '../support/stored-bodies.ts';
import type { TestItem } from '../support/table.ts';
import type { Snapshot } from './history.ts';

export interface PaymentSnapshot extends Snapshot {
  readonly invoiceId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly method: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
  readonly reference: string | null;
  readonly amountRefunded: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly dispute: null;
}

export interface RefundSnapshot extends Snapshot {
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly currency: string;
  readonly reason: string | null;
  readonly failureCode: string | null;
}

/** The lifecycle of one payment or refund, as the table has it. */
export interface Lifecycle<T extends Snapshot> {
  readonly id: string;
  /** The sequence number by which lists are ordered. */
  readonly seq: number;
  /** How the record was created. */
  readonly initial: T;
  /** The snapshot with the outcome, if the record was created without one. */
  readonly outcome?: T | undefined;
  readonly current: T;
}

export interface StoredLifecycles {
  readonly payments: readonly Lifecycle<PaymentSnapshot>[];
  readonly refunds: readonly Lifecycle<RefundSnapshot>[];
}

interface EventBody {
  readonly type: string;
  readonly objectVersion: number;
  readonly data: Snapshot & { readonly statementRow?: string | null };
}

/** @param owner `account#mode` */
export function readLifecycles(
  all: readonly TestItem[],
  owner: string,
): StoredLifecycles & { violations: string[] } {
  const bodies = all
    .filter(({ pk }) => pk === `EVENTS#${owner}`)
    .map((event) => JSON.parse(eventTextOf(event)) as EventBody);
  const byId = Map.groupBy(bodies, ({ data }) => data.id);
  const records = paymentAndRefundRecords(all, owner);
  const violations = [...records.payment, ...records.refund].flatMap((record) =>
    eventViolations(record, byId.get(record.pk) ?? []),
  );
  const payments = records.payment.map((record) => {
    const announced = byId.get(record.pk)?.[0]?.data as PaymentSnapshot | undefined;
    const current = toPaymentSnapshot(record);
    const created = { ...current, amountRefunded: 0, updatedAt: current.createdAt };
    if (isImmediate(current.method))
      return toLifecycle(record, { ...created, ...announced }, undefined, current);
    const initial = { ...created, status: 'pending', failureCode: null, failureMessage: null };
    return toLifecycle(record, initial, announced, current);
  });
  const refunds = records.refund.map((record) => {
    const announced = byId.get(record.pk)?.[0]?.data as RefundSnapshot | undefined;
    const current = toRefundSnapshot(record);
    const initial = { ...current, status: 'pending', failureCode: null, updatedAt: current.createdAt };
    return toLifecycle(record, initial, announced, current);
  });
  const known = new Set([...records.payment, ...records.refund].map(({ pk }) => pk));
  for (const [id, [event]] of byId) {
    if (!id.startsWith('inv_') && !known.has(id))
      violations.push(`the event ${event?.type} is about ${id}, which has no record`);
  }
  return { payments, refunds, violations };
}

/** Returns the owner's records of payments and refunds. */
export function paymentAndRefundRecords(
  all: readonly TestItem[],
  owner: string,
): Record<'payment' | 'refund', TestItem[]> {
  const own = all.filter(({ sk, account, mode }) => sk === 'RECORD' && `${account}#${mode}` === owner);
  return {
    payment: own.filter(({ pk }) => pk.startsWith('pay_')),
    refund: own.filter(({ pk }) => pk.startsWith('ref_')),
  };
}

/** An offline payment, and one with credit, is created with its outcome. */
export const isImmediate = (method: string): boolean => method === 'offline' || method === 'credit';

function toLifecycle<T extends Snapshot>(
  record: TestItem,
  initial: T,
  outcome: T | undefined,
  current: T,
): Lifecycle<T> {
  return { id: record.pk, seq: record.seq, initial, outcome, current };
}

/** A record with an outcome has one event with that outcome, and one more if it is voided. A pending record has none. */
function eventViolations(
  {
    pk,
    status,
    method,
    voidedAt,
    filterKeys,
    amountOver,
    statementRow,
    claim,
    objectVersion: current = 0,
  }: TestItem,
  all: readonly EventBody[],
): string[] {
  // Each use of credit, and each return of it, has its event.
  const events = amountOver ? all.filter(({ type }) => type !== 'payment.updated') : all;
  const resource = pk.startsWith('pay_') ? 'payment' : 'refund';
  const ended = status === 'pending' ? '' : `${resource}.${status}`;
  // A payment that moves to the invoice that replaces its own says so.
  const moves = filterKeys.filter((key: string) => key.startsWith('#invoice#')).length - 1;
  // So does one whose money a row of a bank statement shows later.
  const rows = statementRow !== undefined && events[0]?.data.statementRow === null ? 1 : 0;
  const announced = Math.max(0, moves) + rows;
  // So does one that confirms a claim later. Events of older versions do not show which payments do so at once.
  const updates = events.filter(({ type }) => type === 'payment.updated').length;
  const links = claim !== undefined && updates > announced ? 1 : 0;
  const expectedTypes = [
    ended,
    ...Array(amountOver ? 0 : announced + links).fill('payment.updated'),
    ...(voidedAt ? ['payment.voided'] : []),
  ];
  const expectedType = expectedTypes.join();
  const types = events.map(({ type }) => type).join();
  const violations: string[] = [];
  if (types !== expectedType) violations.push(`${pk} is ${status}, but its events are ${types || 'none'}`);
  const firstVersion = isImmediate(method) ? 1 : 2;
  for (const [index, { objectVersion, data, type }] of events.entries()) {
    const expectedVersion = firstVersion + index;
    // A row of a bank statement that shows a refund, or no longer shows it, raises its version without an event.
    const unannounced = resource === 'refund' ? current - (firstVersion + events.length - 1) : 0;
    const isExpected =
      objectVersion >= expectedVersion && objectVersion <= expectedVersion + Math.max(0, unannounced);
    if (!isExpected && !amountOver)
      violations.push(`${pk}: ${type} has version ${objectVersion}, expected ${expectedVersion}`);
    if (data.status !== status)
      violations.push(`${pk} is ${status}, but ${type} shows status ${data.status}`);
  }
  return violations;
}

const timestamp = (instant: number) => new Date(instant).toISOString();

/** Converts the record to the payment as the API must show it. */
function toPaymentSnapshot(record: TestItem): PaymentSnapshot {
  const { pk, invoiceId, customerId, amount, currency, status, method, card, reference } = record;
  const { amountRefunded, failureCode, createdAt, updatedAt } = record;
  return {
    id: pk,
    invoiceId,
    customerId,
    amount,
    currency,
    status,
    method,
    card: card && { brand: card.brand, last4: card.last4 },
    reference,
    amountRefunded,
    failureCode,
    failureMessage: failureCode && failures[failureCode as keyof typeof failures],
    dispute: null,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
  };
}

/** Converts the record to the refund as the API must show it. */
function toRefundSnapshot(record: TestItem): RefundSnapshot {
  const { pk, paymentId, invoiceId, amount, currency, status, reason, failureCode } = record;
  return {
    id: pk,
    paymentId,
    invoiceId,
    amount,
    currency,
    status,
    reason,
    failureCode,
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
  };
}
