/**
 * Plans what a random client does next: which operation, on which record, and with which contents. The plan depends on
 * the random numbers and on what the client has seen so far.
 */
import type { Resource } from '../../shared/base/ids.ts';
import type { Random } from '../support/seeded-random.ts';
import type { CallKind, RecordedCall, RecordedQuery, Snapshot } from './history.ts';

export type PlannedCall = Pick<
  RecordedCall,
  'kind' | 'key' | 'invoice' | 'payment' | 'refund' | 'body' | 'query'
>;

/** What the clients of one owner have seen: the first snapshot of each record, oldest first. */
export type KnownResources = Readonly<
  Record<
    Exclude<Resource, 'customer' | 'product' | 'draft' | 'statement' | 'schedule' | 'export'>,
    readonly Snapshot[]
  >
>;

export interface ClientContext {
  readonly random: Random;
  /** The number of the operation. It makes the values that the operation sets unique. */
  readonly number: number;
  readonly known: KnownResources;
  /** The invoices that were last paid with a card that settles later. */
  readonly awaitingOutcome: readonly string[];
  readonly isLive: boolean;
  /** The service's clock, in milliseconds. */
  readonly now: number;
}

/** The customers of new invoices. */
const customers = ['cust_1', 'cust_2', 'Someone@Example.com', 'cust_3', 'x'];
/** The values of the filter `customerId`. One is spelled in another way than in the invoices, and one has no invoice. */
export const customerFilters = ['cust_1', 'cust_2', 'someone@example.COM', 'cust_3', 'x', 'nobody'];
/** The values of the filter `status`. */
export const statusFilters: Readonly<
  Record<
    Exclude<Resource, 'customer' | 'product' | 'draft' | 'statement' | 'schedule' | 'export'>,
    readonly string[]
  >
> = {
  invoice: ['pending', 'overdue', 'paid', 'cancelled'],
  payment: ['pending', 'completed', 'failed'],
  refund: ['pending', 'processed', 'failed'],
};

/** How often each kind of call is planned, in percent. If its record does not exist yet, a creation is planned. */
const percentages: Readonly<Record<CallKind, number>> = {
  create: 18,
  update: 12,
  cancel: 7,
  replace: 4,
  get: 5,
  list: 9,
  pay: 20,
  'get payment': 4,
  'list payments': 5,
  refund: 11,
  'get refund': 2,
  'list refunds': 3,
};

export function planOperation(context: ClientContext): PlannedCall {
  const { random, number, known, awaitingOutcome, isLive, now } = context;
  const kind = chooseKind(random);
  const invoice = pickRecent(random, known.invoice);
  const payment = pickRecent(random, known.payment);
  const refund = pickRecent(random, known.refund);
  switch (kind) {
    case 'update':
      if (invoice) return { kind, invoice: invoice.id, body: updateBody(random, invoice, number, now) };
      break;
    case 'cancel':
      if (invoice)
        return { kind, invoice: (random.chance(0.4) && random.pick(awaitingOutcome)) || invoice.id };
      break;
    case 'replace':
      if (invoice) return { kind, invoice: invoice.id, body: replacementBody(random, number, now) };
      break;
    case 'get':
      if (invoice) return { kind, invoice: invoice.id };
      break;
    case 'pay':
      if (invoice) return { kind, invoice: invoice.id, body: paymentBody(random, invoice, number, isLive) };
      break;
    case 'get payment':
      if (payment) return { kind, payment: payment.id };
      break;
    case 'refund':
      if (payment) return { kind, payment: payment.id, body: refundBody(random, payment, number) };
      break;
    case 'get refund':
      if (refund) return { kind, refund: refund.id };
      break;
    case 'list':
    case 'list payments':
    case 'list refunds':
      return { kind, query: listQuery(random, kind, known) };
  }
  return { kind: 'create', body: newInvoiceBody(random, number, now) };
}

/** Plans the same operation with different contents, as a client does that uses an idempotency key twice by mistake. */
export function withDifferentContents(
  earlier: PlannedCall,
  { random, number, now, known }: ClientContext,
): PlannedCall {
  switch (earlier.kind) {
    case 'create':
      return { ...earlier, body: newInvoiceBody(random, number, now) };
    case 'cancel':
      return { ...earlier, invoice: random.pick(known.invoice)?.id };
    case 'replace':
      return { ...earlier, body: replacementBody(random, number, now) };
    case 'pay':
    case 'refund':
      return { ...earlier, body: { ...earlier.body, amount: 2_000_000 + number } };
    default:
      return { ...earlier, body: { amount: 1_000_000 + number } };
  }
}

function chooseKind(random: Random): CallKind {
  let remaining = random.next() * 100;
  for (const [kind, percentage] of Object.entries(percentages)) {
    remaining -= percentage;
    if (remaining < 0) return kind as CallKind;
  }
  return 'create';
}

/** Picks one of the newest records half of the time, so that several clients work on the same record. */
const pickRecent = (random: Random, snapshots: readonly Snapshot[]) =>
  random.chance(0.5) ? random.pick(snapshots.slice(-4)) : random.pick(snapshots);

function newInvoiceBody(random: Random, number: number, now: number): Record<string, unknown> {
  const dueDate = randomDueDate(random, now);
  const amount = random.chance(0.02) ? 0 : 1_000_000 + number;
  const body = {
    customerId: random.pick(customers),
    amount,
    currency: 'USD',
    description: `Invoice ${number}`,
  };
  return { ...body, ...(dueDate && { dueDate }) };
}

/** Mostly sets an amount that no other operation sets; sometimes the amount that the invoice has. */
function updateBody(random: Random, invoice: Snapshot, number: number, now: number): Record<string, unknown> {
  const { amount, description } = invoice as Snapshot & { description?: string };
  if (random.chance(0.03)) return { amount: 0 };
  if (random.chance(0.1)) return { amount };
  const dueDate = random.chance(0.3) ? randomDueDate(random, now) : undefined;
  return {
    amount: 1_000_000 + number,
    ...(random.chance(0.2) && { description }),
    ...(dueDate && { dueDate }),
  };
}

/** The new invoice gets a description of its own, as a created one does, and keeps the customer of the replaced one. */
function replacementBody(random: Random, number: number, now: number): Record<string, unknown> {
  const { customerId: _, currency: __, ...body } = newInvoiceBody(random, number, now);
  return body;
}

/** Returns a due date that is soon or long past, or none. Without one the invoice is due in 30 days. */
function randomDueDate(random: Random, now: number): string | undefined {
  const minutes = random.chance(0.1) ? -random.integer(1_000, 100_000) : random.integer(1, 40);
  if (random.chance(0.4)) return undefined;
  return new Date(now + minutes * 60_000 + random.integer(0, 59_999)).toISOString();
}

/** The test card whose payments settle later. */
export const delayedCard = '4000000000000077';
/** Test cards: completes, is declined, completes later, completes and cannot be refunded. */
const cards = ['4242424242424242', '4000000000000002', delayedCard, '4000000000005126'];
/** Indexes of the cards, repeated by how often each card is used. */
const cardWeights = [0, 0, 0, 1, 2, 2, 2, 3];

function paymentBody(
  random: Random,
  { id, amount }: Snapshot,
  number: number,
  isLive: boolean,
): Record<string, unknown> {
  const confirmedAmount = random.chance(0.2) && { amount };
  if (random.chance(isLive ? 0.95 : 0.25)) {
    return { invoiceId: id, method: 'offline', reference: `Payment ${number}`, ...confirmedAmount };
  }
  const card = cards[random.pick(cardWeights) ?? 0];
  return {
    invoiceId: id,
    method: 'card',
    card: { number: card, expMonth: 12, expYear: 2099, cvc: '123' },
    ...confirmedAmount,
  };
}

/** Refunds the rest, a part, or sometimes too much. */
function refundBody(random: Random, { id, amount }: Snapshot, number: number): Record<string, unknown> {
  const part = random.chance(0.1) ? amount + 1 : Math.max(1, Math.floor(amount * random.next()));
  return { paymentId: id, ...(random.chance(0.7) && { amount: part }), reason: `Refund ${number}` };
}

function listQuery(
  random: Random,
  kind: 'list' | 'list payments' | 'list refunds',
  known: KnownResources,
): RecordedQuery {
  const resource = kind === 'list' ? 'invoice' : kind === 'list payments' ? 'payment' : 'refund';
  const count = known[resource].length;
  return {
    limit: random.chance(0.3) ? 100 : random.integer(1, 20),
    offset: random.chance(0.5) ? 0 : random.integer(0, count + 3),
    ...(random.chance(0.5) && { status: random.pick(statusFilters[resource]) }),
    ...(resource !== 'refund' && random.chance(0.3) && { customerId: random.pick(customerFilters) }),
    ...(resource !== 'invoice' &&
      random.chance(0.25) && { invoiceId: pickRecent(random, known.invoice)?.id }),
    ...(resource === 'refund' && random.chance(0.25) && { paymentId: pickRecent(random, known.payment)?.id }),
  };
}
