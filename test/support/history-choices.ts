/**
 * What a random client does next: which operation, on what, and with which contents. It depends on the dice and on
 * what the client has seen so far.
 */
import type { Call, CallKind, ListQuery, Resource, Shown } from './history.ts';
import type { Dice } from './seeded-random.ts';

export type Wanted = Pick<Call, 'kind' | 'key' | 'invoice' | 'payment' | 'refund' | 'body' | 'query'>;

/** What the clients of one owner have been shown, oldest first, each as it was first. */
export type Seen = Readonly<Record<Resource, readonly Shown[]>>;

export interface Situation {
  readonly dice: Dice;
  /** Of the operation: what it sets is its own by that. */
  readonly number: number;
  readonly seen: Seen;
  /** Invoices that were last paid with a card whose outcome comes later. */
  readonly awaited: readonly string[];
  readonly live: boolean;
  readonly now: number;
}

export const customers = ['cust_1', 'cust_2', 'Someone@Example.com', 'cust_3', 'x'];
export const spellings = ['cust_1', 'cust_2', 'someone@example.COM', 'cust_3', 'x', 'nobody'];
export const statusesOf: Readonly<Record<Resource, readonly string[]>> = {
  invoice: ['pending', 'overdue', 'paid', 'cancelled'],
  payment: ['pending', 'completed', 'failed'],
  refund: ['pending', 'processed', 'failed'],
};

/** In parts of a hundred. What there is nothing for yet is a creation. */
const shares: Readonly<Record<CallKind, number>> = {
  ...{ create: 19, update: 13, cancel: 9, get: 5, list: 9 },
  ...{ pay: 20, 'get payment': 4, 'list payments': 5 },
  ...{ refund: 11, 'get refund': 2, 'list refunds': 3 },
};

export function chooseOperation(situation: Situation): Wanted {
  const { dice, number, seen, live, now } = situation;
  const kind = chooseKind(dice);
  const invoice = recent(dice, seen.invoice);
  const payment = recent(dice, seen.payment);
  const refund = recent(dice, seen.refund);
  switch (kind) {
    case 'update':
      if (invoice) return { kind, invoice: invoice.id, body: changes(dice, invoice, number, now) };
      break;
    case 'cancel':
      if (invoice) return { kind, invoice: (dice.chance(0.4) && dice.pick(situation.awaited)) || invoice.id };
      break;
    case 'get':
      if (invoice) return { kind, invoice: invoice.id };
      break;
    case 'pay':
      if (invoice) return { kind, invoice: invoice.id, body: paying(dice, invoice, number, live) };
      break;
    case 'get payment':
      if (payment) return { kind, payment: payment.id };
      break;
    case 'refund':
      if (payment) return { kind, payment: payment.id, body: refunding(dice, payment, number) };
      break;
    case 'get refund':
      if (refund) return { kind, refund: refund.id };
      break;
    case 'list':
    case 'list payments':
    case 'list refunds':
      return { kind, query: listing(dice, kind, seen) };
  }
  return { kind: 'create', body: creation(dice, number, now) };
}

/** The same deed with other contents, as a client does that uses a key twice. */
export function otherContents(earlier: Wanted, { dice, number, now, seen }: Situation): Wanted {
  switch (earlier.kind) {
    case 'create':
      return { ...earlier, body: creation(dice, number, now) };
    case 'cancel':
      return { ...earlier, invoice: dice.pick(seen.invoice)?.id };
    case 'pay':
    case 'refund':
      return { ...earlier, body: { ...earlier.body, amount: 2_000_000 + number } };
    default:
      return { ...earlier, body: { amount: 1_000_000 + number } };
  }
}

function chooseKind(dice: Dice): CallKind {
  let roll = dice.next() * 100;
  for (const [kind, share] of Object.entries(shares)) {
    roll -= share;
    if (roll < 0) return kind as CallKind;
  }
  return 'create';
}

/** Half of the time one of the latest, so that several work on the same. */
const recent = (dice: Dice, shown: readonly Shown[]) =>
  dice.chance(0.5) ? dice.pick(shown.slice(-4)) : dice.pick(shown);

function creation(dice: Dice, number: number, now: number): Record<string, unknown> {
  const due = dueDate(dice, now);
  const amount = dice.chance(0.02) ? 0 : 1_000_000 + number;
  const body = {
    customerId: dice.pick(customers),
    amount,
    currency: 'USD',
    description: `Invoice ${number}`,
  };
  return { ...body, ...(due && { dueDate: due }) };
}

/** Mostly something that no other operation sets; sometimes what it is already. */
function changes(dice: Dice, invoice: Shown, number: number, now: number): Record<string, unknown> {
  const { amount, description } = invoice as Shown & { description?: string };
  if (dice.chance(0.03)) return { amount: 0 };
  if (dice.chance(0.1)) return { amount };
  const due = dice.chance(0.3) ? dueDate(dice, now) : undefined;
  return {
    amount: 1_000_000 + number,
    ...(dice.chance(0.2) && { description }),
    ...(due && { dueDate: due }),
  };
}

/** Soon, long past, or none: then it is 30 days. */
function dueDate(dice: Dice, now: number): string | undefined {
  const minutes = dice.chance(0.1) ? -dice.integer(1_000, 100_000) : dice.integer(1, 40);
  if (dice.chance(0.4)) return undefined;
  return new Date(now + minutes * 60_000 + dice.integer(0, 59_999)).toISOString();
}

/** Completes, is declined, completes later, completes and cannot be refunded. */
const cards = ['4242424242424242', '4000000000000002', '4000000000000077', '4000000000005126'];
const cardWeights = [0, 0, 0, 1, 2, 2, 2, 3];
/** The card whose outcome comes later. */
export const laterCard = '4000000000000077';

function paying(dice: Dice, { id, amount }: Shown, number: number, live: boolean): Record<string, unknown> {
  const confirmed = dice.chance(0.2) && { amount };
  if (dice.chance(live ? 0.95 : 0.25)) {
    return { invoiceId: id, method: 'offline', reference: `Payment ${number}`, ...confirmed };
  }
  const card = cards[dice.pick(cardWeights) ?? 0];
  return {
    ...{ invoiceId: id, method: 'card', card: { number: card, expMonth: 12, expYear: 2099, cvc: '123' } },
    ...confirmed,
  };
}

/** All that is left, a part, or sometimes too much. */
function refunding(dice: Dice, { id, amount }: Shown, number: number): Record<string, unknown> {
  const part = dice.chance(0.1) ? amount + 1 : Math.max(1, Math.floor(amount * dice.next()));
  return { paymentId: id, ...(dice.chance(0.7) && { amount: part }), reason: `Refund ${number}` };
}

function listing(dice: Dice, kind: 'list' | 'list payments' | 'list refunds', seen: Seen): ListQuery {
  const resource = kind === 'list' ? 'invoice' : kind === 'list payments' ? 'payment' : 'refund';
  const known = seen[resource].length;
  return {
    limit: dice.chance(0.3) ? 100 : dice.integer(1, 20),
    offset: dice.chance(0.5) ? 0 : dice.integer(0, known + 3),
    ...(dice.chance(0.5) && { status: dice.pick(statusesOf[resource]) }),
    ...(resource !== 'refund' && dice.chance(0.3) && { customerId: dice.pick(spellings) }),
    ...(resource !== 'invoice' && dice.chance(0.25) && { invoiceId: recent(dice, seen.invoice)?.id }),
    ...(resource === 'refund' && dice.chance(0.25) && { paymentId: recent(dice, seen.payment)?.id }),
  };
}
