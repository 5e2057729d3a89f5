/**
 * A payment from the payment page. Each attempt has a name that the page gave it: sent twice with the same card it is
 * one payment. Attempts that reach the provider are limited by invoice and by address; the account's own rate limit does not count
 * them.
 */
import { networkOf } from '../admission/source-address.ts';
import { countAttempt } from '../admission/store.ts';
import { ApiError } from '../errors.ts';
import { canonicalJson } from '../http/strict-json.ts';
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { contentVersionOf } from '../invoices/transitions.ts';
import { hmacCurrent } from '../secrets/deployment-secret.ts';
import { commit, type RequestKey } from '../store/commit.ts';
import { readIdempotency } from '../store/idempotency-records.ts';
import { drawNumberIfOpen } from '../store/numbers.ts';
import type { Reading } from '../store/records.ts';
import type { Instant } from '../time.ts';
import type { Card } from './card.ts';
import type { PaymentProvider } from './provider.ts';
import { newCardPayment } from './store.ts';

/** Attempts per clock hour: enough for typing errors, too few to try stolen cards. */
const attemptsPerInvoice = 20;
const attemptsPerAddress = 60;

/** Counts an attempt; returns whether it may be made. */
async function mayAttempt(invoiceId: string, sourceIp: string, now: Instant): Promise<boolean> {
  const within = await Promise.all([
    countAttempt('invoice', invoiceId, attemptsPerInvoice, now),
    countAttempt('address', networkOf(sourceIp), attemptsPerAddress, now),
  ]);
  return within.every(Boolean);
}

/** What was sent: the card, and the invoice as the payer saw it. */
export interface Attempt {
  readonly attempt: string;
  readonly contentVersion: number;
  readonly amount: number;
  readonly card: Card;
}

/** What became of an attempt: a payment, or that nothing was charged because of the invoice's state. */
export type AttemptOutcome =
  | { readonly kind: 'payment'; readonly id: string; readonly status: string }
  | { readonly kind: 'changed' }
  /** Not carried out: there were as many as there may be, for this clock hour. */
  | { readonly kind: 'too many' }
  /** Paid, cancelled, or a payment is in progress: the page says which. */
  | { readonly kind: 'not payable' }
  /** The account is closed. */
  | { readonly kind: 'closed' };

/** Pays the invoice, if it still is as it was shown; whoever sends the same attempt again gets the same payment. */
export async function payFromPage(
  invoice: Reading<Invoice>,
  { attempt, contentVersion, amount, card }: Attempt,
  { provider, sourceIp, now }: { provider: PaymentProvider; sourceIp: string; now: Instant },
): Promise<AttemptOutcome> {
  const { owner, id } = invoice;
  const key = await keyOf(owner, id, attempt, card);
  // One that was sent before is no further attempt: whatever came of it is answered again.
  const kept = await readIdempotency(owner, key.keyHash, now);
  if (!kept && !(await mayAttempt(id, sourceIp, now))) return { kind: 'too many' };
  const asShown = (present: Invoice) => {
    if (contentVersionOf(present) !== contentVersion || present.amount !== amount) throw new InvoiceChanged();
  };
  const admission = await drawNumberIfOpen(owner, 'payment');
  // An attempt that had begun before ends by itself.
  if (!admission) return { kind: kept ? 'not payable' : 'closed' };
  const transition = newCardPayment(
    { admission, invoice, now },
    { amount: undefined, card, provider, key, require: asShown },
  );
  try {
    const toReply = (answer: unknown) => ({ status: 201, body: JSON.stringify(answer) });
    const payment = JSON.parse((await commit(transition, { now, key, toReply })).body);
    return { kind: 'payment', id: payment.id, status: payment.status };
  } catch (error) {
    if (error instanceof InvoiceChanged) return { kind: 'changed' };
    if (error instanceof ApiError) return { kind: 'not payable' };
    throw error;
  }
}

class InvoiceChanged extends Error {}

/** The key under which the attempt is kept. No client's own key leads to the same hash. */
async function keyOf(owner: Owner, invoiceId: string, attempt: string, card: Card): Promise<RequestKey> {
  const { digest } = await hmacCurrent(
    'fingerprint',
    canonicalJson(['pay', invoiceId, attempt, { ...card }]),
  );
  return { owner, keyHash: digest.toString('base64url'), fingerprint: 'page', matches: async () => true };
}
