/**
 * Payments and refunds as the table tells them: what each has been, by its record and its events, and what is wrong
 * with those. Pure: it judges the items that it is given.
 */
import { failures } from '../../shared/payments/failures.ts';
import type { Shown } from './history.ts';
import type { TestItem } from './table.ts';

export interface ShownPayment extends Shown {
  readonly invoiceId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly method: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
  readonly reference: string | null;
  readonly amountRefunded: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

export interface ShownRefund extends Shown {
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly currency: string;
  readonly reason: string | null;
  readonly failureCode: string | null;
}

/** What the table tells of one payment or refund: how it began, its outcome if that came later, how it is now. */
export interface Story<T extends Shown> {
  readonly id: string;
  readonly seq: number;
  readonly first: T;
  readonly outcome?: T | undefined;
  readonly last: T;
}

export interface Money {
  readonly payments: readonly Story<ShownPayment>[];
  readonly refunds: readonly Story<ShownRefund>[];
}

interface Announced {
  readonly type: string;
  readonly objectVersion: number;
  readonly data: Shown;
}

/** @param owner `account#mode` */
export function readMoney(all: readonly TestItem[], owner: string): Money & { faults: string[] } {
  const bodies = all
    .filter(({ pk }) => pk === `EVENTS#${owner}`)
    .map(({ body }) => JSON.parse(body) as Announced);
  const byId = Map.groupBy(bodies, ({ data }) => data.id);
  const records = recordsOf(all, owner);
  const faults = [...records.payment, ...records.refund].flatMap((record) =>
    announcementFaults(record, byId.get(record.pk) ?? []),
  );
  const payments = records.payment.map((record) => {
    const settled = byId.get(record.pk)?.[0]?.data as ShownPayment | undefined;
    const last = shownPayment(record);
    const fresh = { ...last, amountRefunded: 0, updatedAt: last.createdAt };
    if (last.method === 'offline') return storyOf(record, { ...fresh, ...settled }, undefined, last);
    const first = { ...fresh, status: 'pending', failureCode: null, failureMessage: null };
    return storyOf(record, first, settled, last);
  });
  const refunds = records.refund.map((record) => {
    const last = shownRefund(record);
    const first = { ...last, status: 'pending', failureCode: null, updatedAt: last.createdAt };
    return storyOf(record, first, byId.get(record.pk)?.[0]?.data as ShownRefund | undefined, last);
  });
  const known = new Set([...records.payment, ...records.refund].map(({ pk }) => pk));
  for (const [id, [event]] of byId) {
    if (!id.startsWith('inv_') && !known.has(id)) faults.push(`${event?.type} of ${id}, which has no record`);
  }
  return { payments, refunds, faults };
}

/** The owner's records of payments and refunds. */
export function recordsOf(all: readonly TestItem[], owner: string): Record<'payment' | 'refund', TestItem[]> {
  const own = all.filter(({ sk, account, mode }) => sk === 'RECORD' && `${account}#${mode}` === owner);
  return {
    payment: own.filter(({ pk }) => pk.startsWith('pay_')),
    refund: own.filter(({ pk }) => pk.startsWith('ref_')),
  };
}

function storyOf<T extends Shown>(record: TestItem, first: T, outcome: T | undefined, last: T): Story<T> {
  return { id: record.pk, seq: record.seq, first, outcome, last };
}

/** An outcome is announced once, as it is in the record; what has none is not announced. */
function announcementFaults({ pk, status, method }: TestItem, announced: readonly Announced[]): string[] {
  const resource = pk.startsWith('pay_') ? 'payment' : 'refund';
  const expected = status === 'pending' ? '' : `${resource}.${status}`;
  const types = announced.map(({ type }) => type).join();
  const faults: string[] = [];
  if (types !== expected) faults.push(`${pk} is ${status}, its events are ${types || 'none'}`);
  const version = method === 'offline' ? 1 : 2;
  for (const { objectVersion, data, type } of announced) {
    if (objectVersion !== version) faults.push(`${pk}: ${type} is of version ${objectVersion}`);
    if (data.status !== status) faults.push(`${pk} is ${status}, ${type} shows it ${data.status}`);
  }
  return faults;
}

const timestamp = (instant: number) => new Date(instant).toISOString();

/** The payment as the API is to show it. */
function shownPayment(record: TestItem): ShownPayment {
  const { pk, invoiceId, customerId, amount, currency, status, method, card, reference } = record;
  const { amountRefunded, failureCode, createdAt, updatedAt } = record;
  return {
    ...{ id: pk, invoiceId, customerId, amount, currency, status, method },
    ...{ card: card && { brand: card.brand, last4: card.last4 }, reference, amountRefunded, failureCode },
    failureMessage: failureCode && failures[failureCode as keyof typeof failures],
    ...{ createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) },
  };
}

/** The refund as the API is to show it. */
function shownRefund(record: TestItem): ShownRefund {
  const { pk, paymentId, invoiceId, amount, currency, status, reason, failureCode } = record;
  return {
    ...{ id: pk, paymentId, invoiceId, amount, currency, status, reason, failureCode },
    ...{ createdAt: timestamp(record.createdAt), updatedAt: timestamp(record.updatedAt) },
  };
}
