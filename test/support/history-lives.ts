/**
 * The life of a resource: all states that it has had, as the table tells them, and the states of a payment that only
 * its refunds tell.
 */

import type { Chain } from './audit-table.ts';
import type { Resource, Shown } from './history.ts';
import type { ShownPayment, ShownRefund, Story } from './history-stories.ts';

/** One state; `updatedAt` is empty where nobody has seen it. */
export interface State<T extends Shown = Shown> {
  readonly type: string;
  readonly shown: T;
}

export interface Life<T extends Shown = Shown> {
  readonly resource: Resource;
  readonly id: string;
  readonly seq: number;
  /** For reports. */
  readonly name: string;
  readonly states: readonly State<T>[];
}

export type PaymentLife = Life<ShownPayment>;
export type RefundLife = Life<ShownRefund>;

export function invoiceLife({ id, seq, versions }: Chain): Life {
  const states = versions.map(({ type, invoice }) => ({ type, shown: invoice }));
  return { resource: 'invoice', id, seq, name: versions[0]?.invoice.description ?? '', states };
}

export function refundLife({ id, seq, first, outcome }: Story<ShownRefund>): RefundLife {
  const states = [first, ...(outcome ? [outcome] : [])];
  return { resource: 'refund', id, seq, name: first.reason ?? '', states: states.map(stateOf('refund')) };
}

/**
 * @param processed the payment's processed refunds, in the order in which they were
 * @param seen how the payment was shown anywhere
 */
export function paymentLife(
  { id, seq, first, outcome, last }: Story<ShownPayment>,
  processed: readonly RefundLife[],
  seen: readonly ShownPayment[],
): PaymentLife {
  const settled = outcome ?? first;
  const states = [first, ...(outcome ? [outcome] : [])];
  let amountRefunded = 0;
  for (const { states: of } of processed) {
    amountRefunded += of[0]?.shown.amount ?? 0;
    const known = [last, ...seen].find((shown) => shown.amountRefunded === amountRefunded);
    states.push({ ...settled, amountRefunded, updatedAt: known?.updatedAt ?? '' });
  }
  const name = first.reference ?? `${first.card?.last4} for ${first.invoiceId}`;
  return { resource: 'payment', id, seq, name, states: states.map(stateOf('payment')) };
}

const stateOf =
  (resource: Resource) =>
  <T extends Shown>(shown: T): State<T> => ({ type: `${resource}.${shown.status}`, shown });

/** More than that are as good as any order. */
const maxOrders = 1_000;

/**
 * An order in which refunds may have been processed: one in which every amount that was seen comes up, and in which none
 * follows another that must have come later; if there is none, any. `placed` are those that stand in the same place in
 * all such orders.
 * @param mustPrecede whether the first must have been processed before the second
 */
export function processedOrder(
  refunds: readonly RefundLife[],
  seen: readonly ShownPayment[],
  mustPrecede: (one: RefundLife, other: RefundLife) => boolean,
): { readonly order: readonly RefundLife[]; readonly placed: readonly RefundLife[] } {
  const amounts = seen.map(({ amountRefunded }) => amountRefunded);
  const orders: (readonly RefundLife[])[] = [];
  const extend = (order: readonly RefundLife[], sum: number): void => {
    if (order.length === refunds.length) orders.push(order);
    const left = refunds.filter((refund) => !order.includes(refund));
    for (const refund of left) {
      if (orders.length === maxOrders) return;
      if (left.some((other) => other !== refund && mustPrecede(other, refund))) continue;
      const next = sum + amountOf(refund);
      if (amounts.some((amount) => amount > sum && amount < next)) continue;
      extend([...order, refund], next);
    }
  };
  extend([], 0);
  const [order = refunds] = orders;
  const isPlaced = (refund: RefundLife, place: number) => orders.every((other) => other[place] === refund);
  return { order, placed: orders.length < maxOrders ? order.filter(isPlaced) : [] };
}

const amountOf = ({ states }: RefundLife) => states[0]?.shown.amount ?? 0;

/** What is wrong with the life of a payment or refund by itself. */
export function lifeFaults({ id, name, states }: PaymentLife | RefundLife): string[] {
  return states.flatMap(({ shown, type }, index) => {
    const fault = (text: string) => [`${id} (${name}), version ${index + 1} (${type}): ${text}`];
    const before = states[index - 1]?.shown;
    if (!before) return shown.createdAt === shown.updatedAt ? [] : fault('was updated when it was created');
    if (shown.updatedAt !== '' && shown.updatedAt <= before.updatedAt) return fault('updatedAt is not later');
    const isRefunded = type === 'payment.completed' && before.status === 'completed';
    if (before.status !== 'pending' && !isRefunded) return fault(`follows ${before.status}`);
    const expected = { ...before, ...pick(shown, changing) };
    return JSON.stringify(expected) === JSON.stringify(shown) ? [] : fault('changed what it must not');
  });
}

const changing = ['status', 'amountRefunded', 'failureCode', 'failureMessage', 'updatedAt'];

const pick = (shown: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => names.includes(name)));
