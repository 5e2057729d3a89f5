/** Reads payment links, payments and disputes of Razorpay. */
import * as v from 'valibot';
import { type Instant, now, toSeconds } from '../../../base/time.ts';
import type { CardSummary } from './card.ts';
import {
  type CheckoutState,
  type Dispute,
  type HostedProvider,
  isUndecided,
  type ReceivedPayment,
} from './hosted-provider.ts';
import { listCollection, type RazorpayCalls, readRazorpayAnswer } from './razorpay-client.ts';

/** Razorpay shows empty notes as a list. */
export const notesSchema = v.fallback(v.record(v.string(), v.unknown()), {});

/** The names under which the adapter stores its keys in Razorpay's notes. */
export const razorpayNotes = {
  checkout: 'remit_checkout',
  invoice: 'remit_invoice',
  refund: 'remit_refund',
} as const;

export const linkSchema = v.object({
  id: v.string(),
  status: v.string(),
  reference_id: v.nullish(v.string()),
  order_id: v.nullish(v.string()),
  payments: v.nullish(
    v.array(v.object({ payment_id: v.string(), status: v.string(), created_at: v.nullish(v.number(), 0) })),
    [],
  ),
  notes: notesSchema,
  short_url: v.string(),
  expire_by: v.number(),
});

const paymentSchema = v.object({
  id: v.string(),
  created_at: v.number(),
  notes: notesSchema,
  description: v.nullish(v.string(), ''),
  amount_refunded: v.nullish(v.number(), 0),
  amount: v.number(),
  fee: v.nullish(v.number()),
  tax: v.nullish(v.number(), 0),
  fee_bearer: v.nullish(v.string(), 'platform'),
  currency: v.string(),
  status: v.string(),
  card: v.nullish(v.object({ network: v.nullish(v.string()), last4: v.nullish(v.string()) })),
});

const attemptSchema = v.object({
  id: v.string(),
  status: v.string(),
  created_at: v.number(),
  amount: v.optional(v.number()),
  currency: v.optional(v.string()),
});
const orderPayments = v.object({ items: v.array(attemptSchema) });

type Link = v.InferOutput<typeof linkSchema>;
type TakenPayment = v.InferOutput<typeof paymentSchema>;

/** A payment that took money. A refunded payment had taken money, too. */
const takenStatuses = ['captured', 'refunded'];

/** The documented statuses of a payment. With another one, it is not known whether it took money. */
const attemptStatuses = ['created', 'authorized', 'failed', ...takenStatuses];

/** The statuses of a link that nobody can pay any more. All others, also unknown ones, mean that it is in progress. */
const endedStatuses = ['expired', 'cancelled'];

/**
 * How long Razorpay waits for the bank of an attempt, in seconds. A little later, the attempt is `failed`. Razorpay asks the
 * bank for up to five days, and the attempt can become authorized and captured then, also if its link has ended
 * (razorpay.com/docs/payments/payments/late-authorisation).
 */
const waitsForBankSeconds = 15 * 60;
const approvedWithinSeconds = 5 * 86_400;

/**
 * How long the merchant's account has to capture a payment by itself, in seconds. After that, nobody does: manual capture is on.
 * Razorpay returns the money of a payment that is not captured within some days (razorpay.com/docs/payments/payments/capture-settings).
 */
const capturedWithinSeconds = 15 * 60;

/** Returns the state of the checkout of a link. A payment that is authorized, but not captured, has taken nothing yet. */
export async function readLinkState(calls: RazorpayCalls, link: Link): Promise<CheckoutState> {
  const payments = await readAttempts(calls, link);
  const taken = payments.find(({ status }) => takenStatuses.includes(status));
  if (taken) {
    const payment = await readTakenPayment(calls, taken.id);
    if (payment)
      return { kind: 'paid', payment: { ...toReceived(payment), key: link.reference_id ?? undefined } };
  }
  const waitsSince = toSeconds(now()) - waitsForBankSeconds;
  const authorized = payments.find(({ status }) => status === 'authorized');
  if (authorized) {
    const captured =
      link.status !== 'cancelled' && authorized.created_at < toSeconds(now()) - capturedWithinSeconds
        ? await capture(calls, authorized)
        : undefined;
    if (captured)
      return { kind: 'paid', payment: { ...toReceived(captured), key: link.reference_id ?? undefined } };
    return { kind: 'processing', reason: 'capture' };
  }
  if (link.status === 'created') return { kind: 'open' };
  if (payments.some(({ status, created_at: at }) => status === 'created' && at > waitsSince))
    return { kind: 'processing', reason: 'bank' };
  const isUnknown = payments.some(({ status }) => !attemptStatuses.includes(status));
  if (isUnknown || !endedStatuses.includes(link.status)) return { kind: 'processing', reason: 'unknown' };
  if (payments.length === 0) return { kind: 'expired' };
  const latest = Math.max(...payments.map(({ created_at: at }) => at));
  return { kind: 'expired', lateUntil: (latest + approvedWithinSeconds) * 1000 };
}

/** Returns the payments of a link. The link itself lists only those that took money, and its order lists all. */
async function readAttempts(calls: RazorpayCalls, { payments, order_id: order }: Link) {
  const listed = payments.map(({ payment_id: id, ...attempt }) => ({ id, ...attempt }));
  if (!order || listed.some(({ status }) => takenStatuses.includes(status))) return listed;
  const path = `/v1/orders/${encodeURIComponent(order)}/payments`;
  return readRazorpayAnswer(`GET ${path}`, orderPayments, await calls.get(path)).items;
}

/** Captures an authorized payment. Returns undefined if Razorpay refuses that. */
async function capture(
  calls: RazorpayCalls,
  { id, amount, currency }: { readonly id: string; readonly amount?: number; readonly currency?: string },
): Promise<TakenPayment | undefined> {
  if (amount === undefined || currency === undefined) return undefined;
  // A refusal can mean that somebody has captured the payment meanwhile, so the payment itself decides.
  await calls.post(`/v1/payments/${encodeURIComponent(id)}/capture`, { amount, currency });
  return readTakenPayment(calls, id);
}

/** Returns a payment, or undefined if it does not exist or took no money. */
async function readTakenPayment(calls: RazorpayCalls, id: string): Promise<TakenPayment | undefined> {
  const path = `/v1/payments/${encodeURIComponent(id)}`;
  const answer = await calls.get(path, { 'expand[]': 'card' });
  // Razorpay answers 400 for an id that does not exist.
  if (!answer.ok && (answer.status === 400 || answer.status === 404)) return undefined;
  const payment = readRazorpayAnswer(`GET ${path}`, paymentSchema, answer);
  return takenStatuses.includes(payment.status) ? payment : undefined;
}

/**
 * Returns a payment without its key and its dispute, which Razorpay keeps elsewhere. The fee contains the tax
 * (razorpay.com/docs/api/payments/entity).
 */
function toReceived(payment: TakenPayment): ReceivedPayment {
  const {
    id,
    amount,
    currency,
    card,
    amount_refunded: refundedMinor,
    fee,
    tax,
    fee_bearer: bearer,
  } = payment;
  return {
    reference: id,
    key: undefined,
    // If the payer bears the fee, it is paid beside the amount of the link, and Razorpay keeps it.
    amountMinor: bearer === 'customer' ? amount - (fee ?? 0) : amount,
    currency: currency.toUpperCase(),
    card: cardOf(card),
    refundedMinor,
    fees:
      fee == null
        ? undefined
        : {
            amountMinor: fee,
            taxMinor: tax ?? 0,
            netMinor: amount - fee,
            currency: currency.toUpperCase(),
          },
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
  const [key, disputes] = await Promise.all([findKey(calls, payment), readDisputes(calls)]);
  return { ...toReceived(payment), key, dispute: disputeOf(disputes, id) };
}

/**
 * Returns the key of the checkout of a payment, or undefined if this service did not make its link. A payment has the notes of
 * its link, and the id of the link as its description. Earlier payments have no notes, so the link is read for them. Payments
 * of other shops cost no call, unless they are of a link without notes.
 */
async function findKey(
  calls: RazorpayCalls,
  { id, notes, description }: Pick<TakenPayment, 'id' | 'notes' | 'description'>,
): Promise<string | undefined> {
  const own = notes[razorpayNotes.checkout];
  if (typeof own === 'string') return own;
  if (Object.keys(notes).length > 0 || !/^#\w{14}$/.test(description)) return undefined;
  const [link] = await findLinks(calls, { payment_id: id });
  const key = link?.notes[razorpayNotes.checkout];
  return typeof key === 'string' && key === link?.reference_id ? key : undefined;
}

/** Below the limit of an answer, 256 KiB. */
const listedPageSize = 100;

/** Lists a page of the payments of this service. @param cursor the number of payments before the page */
export async function listRazorpayPayments(
  calls: RazorpayCalls,
  since: Instant,
  cursor: string | undefined,
): ReturnType<HostedProvider['listPayments']> {
  const skip = Number(cursor ?? 0);
  const path = '/v1/payments';
  const query = {
    from: String(toSeconds(since)),
    count: String(listedPageSize),
    skip: String(skip),
    'expand[]': 'card',
  };
  const schema = v.object({ items: v.array(paymentSchema) });
  const { items } = readRazorpayAnswer(`GET ${path}`, schema, await calls.get(path, query));
  const taken = items.filter(({ status }) => takenStatuses.includes(status));
  const keys = await Promise.all(taken.map((payment) => findKey(calls, payment)));
  const own = taken.flatMap((payment, index) => {
    const key = keys[index];
    return key === undefined ? [] : [{ ...toReceived(payment), key, receivedAt: payment.created_at * 1000 }];
  });
  const disputes = own.length > 0 ? await readDisputes(calls) : [];
  return {
    payments: own.map((payment) => ({ ...payment, dispute: disputeOf(disputes, payment.reference) })),
    next: items.length < listedPageSize ? undefined : String(skip + listedPageSize),
  };
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
  respond_by: v.nullish(v.number()),
  phase: v.nullish(v.string(), 'chargeback'),
  status: v.string(),
});

type ReadDispute = v.InferOutput<typeof disputeSchema>;

/** Returns all disputes. Razorpay cannot filter them by payment. */
function readDisputes(calls: RazorpayCalls): Promise<ReadDispute[]> {
  return listCollection(calls, '/v1/disputes', disputeSchema);
}

/** Returns the open dispute of a payment, or else the latest one. */
function disputeOf(all: readonly ReadDispute[], payment: string): Dispute | undefined {
  const disputes = all
    .filter(({ payment_id: id }) => id === payment)
    .map((dispute): Dispute => {
      const status = disputeStatusOf(dispute);
      return {
        reference: dispute.id,
        status,
        isRefundable: status === 'inquiry' || status === 'closed' || status === 'won',
        amountMinor: dispute.amount,
        reason: dispute.reason_code,
        respondBy: dispute.respond_by == null ? undefined : dispute.respond_by * 1000,
      };
    });
  return disputes.find(({ status }) => isUndecided(status)) ?? disputes[0];
}

/** The phases in which no money has moved yet (razorpay.com/docs/payments/disputes). */
const inquiryPhases: readonly string[] = ['retrieval', 'fraud'];

/** A dispute that is `closed` cost what was deducted. */
function disputeStatusOf({
  status,
  phase,
  amount_deducted: deducted,
}: v.InferOutput<typeof disputeSchema>): Dispute['status'] {
  if (status === 'lost' || (status === 'closed' && deducted > 0)) return 'lost';
  const isInquiry = inquiryPhases.includes(phase);
  if (status === 'won' || status === 'closed') return isInquiry ? 'closed' : 'won';
  return isInquiry ? 'inquiry' : 'open';
}
