/** Reads payment links, payments and disputes of Razorpay. */
import * as v from 'valibot';
import type { CardSummary } from './card.ts';
import type { CheckoutState, Dispute, ReceivedPayment } from './hosted-provider.ts';
import { listCollection, type RazorpayCalls, readRazorpayAnswer } from './razorpay-client.ts';

export const linkSchema = v.object({
  id: v.string(),
  status: v.picklist(['created', 'partially_paid', 'paid', 'expired', 'cancelled']),
  reference_id: v.nullish(v.string()),
  order_id: v.nullish(v.string()),
  short_url: v.string(),
  expire_by: v.number(),
});

const paymentSchema = v.object({
  id: v.string(),
  amount: v.number(),
  currency: v.string(),
  status: v.string(),
  card: v.nullish(v.object({ network: v.nullish(v.string()), last4: v.nullish(v.string()) })),
});

const orderPayments = v.object({ items: v.array(v.object({ id: v.string(), status: v.string() })) });

type Link = v.InferOutput<typeof linkSchema>;

/** A payment that took money. A refunded payment had taken money, too. */
const takenStatuses = ['captured', 'refunded'];

/** Returns the state of the checkout of a link. A payment that is authorized, but not captured, has taken nothing yet. */
export async function readLinkState(calls: RazorpayCalls, link: Link): Promise<CheckoutState> {
  if (link.status === 'created') return { kind: 'open' };
  const payments = await readOrderPayments(calls, link);
  const taken = payments.find(({ status }) => takenStatuses.includes(status));
  if (taken) {
    const payment = await readTakenPayment(calls, taken.id);
    if (payment) return { kind: 'paid', payment: { ...payment, key: link.reference_id ?? undefined } };
  }
  const isUnsettled = link.status === 'paid' || payments.some(({ status }) => status === 'authorized');
  return isUnsettled ? { kind: 'processing' } : { kind: 'expired' };
}

async function readOrderPayments(calls: RazorpayCalls, { order_id: order }: Link) {
  if (!order) return [];
  const path = `/v1/orders/${encodeURIComponent(order)}/payments`;
  return readRazorpayAnswer(`GET ${path}`, orderPayments, await calls.get(path)).items;
}

/** Returns a payment without its dispute, or undefined if it does not exist or took no money. */
async function readTakenPayment(calls: RazorpayCalls, id: string): Promise<ReceivedPayment | undefined> {
  const path = `/v1/payments/${encodeURIComponent(id)}`;
  const answer = await calls.get(path, { 'expand[]': 'card' });
  // Razorpay answers 400 for an id that does not exist.
  if (!answer.ok && (answer.status === 400 || answer.status === 404)) return undefined;
  const payment = readRazorpayAnswer(`GET ${path}`, paymentSchema, answer);
  if (!takenStatuses.includes(payment.status)) return undefined;
  const { amount: amountMinor, currency, card } = payment;
  return {
    reference: id,
    key: undefined,
    amountMinor,
    currency: currency.toUpperCase(),
    card: cardOf(card),
    dispute: undefined,
  };
}

/** Returns a payment with the key of its link and with its dispute. */
export async function readRazorpayPayment(
  calls: RazorpayCalls,
  id: string,
): Promise<ReceivedPayment | undefined> {
  const payment = await readTakenPayment(calls, id);
  if (!payment) return undefined;
  const [links, dispute] = await Promise.all([findLinks(calls, { payment_id: id }), readDispute(calls, id)]);
  return { ...payment, key: links[0]?.reference_id ?? undefined, dispute };
}

const linksSchema = v.object({ payment_links: v.array(linkSchema) });

/** Returns the links with this reference or payment. */
export async function findLinks(
  calls: RazorpayCalls,
  query: Readonly<Record<string, string>>,
): Promise<Link[]> {
  const path = '/v1/payment_links';
  return readRazorpayAnswer(`GET ${path}`, linksSchema, await calls.get(path, query)).payment_links;
}

const brands: Readonly<Record<string, CardSummary['brand']>> = {
  Visa: 'visa',
  MasterCard: 'mastercard',
  'American Express': 'amex',
  RuPay: 'rupay',
};

function cardOf(card: v.InferOutput<typeof paymentSchema>['card']): CardSummary | null {
  if (!card?.last4 || !/^\d{4}$/.test(card.last4)) return null;
  return { brand: brands[card.network ?? ''] ?? 'unknown', last4: card.last4 };
}

const disputeSchema = v.object({
  id: v.string(),
  payment_id: v.string(),
  amount: v.number(),
  amount_deducted: v.nullish(v.number(), 0),
  reason_code: v.nullish(v.string(), 'unknown'),
  status: v.string(),
});

/** Returns the open dispute of a payment, or else the latest one. Razorpay cannot filter disputes by payment. */
async function readDispute(calls: RazorpayCalls, payment: string): Promise<Dispute | undefined> {
  const all = await listCollection(calls, '/v1/disputes', disputeSchema);
  const disputes = all
    .filter(({ payment_id: id }) => id === payment)
    .map((dispute) => ({
      reference: dispute.id,
      status: disputeStatusOf(dispute),
      amountMinor: dispute.amount,
      reason: dispute.reason_code,
    }));
  return disputes.find(({ status }) => status === 'open') ?? disputes[0];
}

/** A dispute that is `closed` cost what was deducted. */
function disputeStatusOf({
  status,
  amount_deducted: deducted,
}: v.InferOutput<typeof disputeSchema>): Dispute['status'] {
  if (status === 'won' || status === 'lost') return status;
  if (status !== 'closed') return 'open';
  return deducted > 0 ? 'lost' : 'won';
}
