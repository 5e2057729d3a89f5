/**
 * Creates payments from the payment page.
 *
 * - The page gives each attempt a name. Sending an attempt twice with the same card makes one payment. The card is
 *   compared by its brand and last four digits, so that nothing derived from the rest of the card data is stored.
 * - Attempts that reach the provider are limited by invoice and by the payer's address, so the page cannot be used to
 *   try stolen cards. They do not count against the rate limit of the account.
 */

import { countAttempt } from '../auth/rate-limit.ts';
import { rateLimitNetworkOf } from '../auth/source-address.ts';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { contentVersionOf } from '../invoices/transitions.ts';
import { hmacCurrent } from '../secrets/deployment-secret.ts';
import { commit } from '../store/commit/commit.ts';
import type { RequestKey } from '../store/commit/idempotency-records.ts';
import { readIdempotency } from '../store/commit/idempotency-records.ts';
import type { LoadedRecord } from '../store/records.ts';
import { allocateSequenceNumberIfOpen } from '../store/sequence-numbers.ts';
import { canonicalJson } from '../strict-json.ts';
import type { Instant } from '../time.ts';
import { type Card, summarizeCard } from './provider/card.ts';
import type { PaymentProvider } from './provider/provider.ts';
import { createCardPaymentCommand } from './store.ts';

/** Attempts per clock hour: enough for typing errors, too few to try stolen cards. */
const attemptsPerInvoice = 20;
const attemptsPerAddress = 60;

/** Counts an attempt. Returns whether both limits allow it. */
async function isWithinAttemptLimits(invoiceId: string, sourceIp: string, now: Instant): Promise<boolean> {
  const within = await Promise.all([
    countAttempt('invoice', invoiceId, attemptsPerInvoice, now),
    countAttempt('address', rateLimitNetworkOf(sourceIp), attemptsPerAddress, now),
  ]);
  return within.every(Boolean);
}

/** An attempt to pay: the card, and the invoice as the payer saw it. */
export interface PageAttempt {
  /** The name that the page gave to the attempt. */
  readonly attempt: string;
  readonly contentVersion: number;
  readonly amount: number;
  readonly card: Card;
}

/** The outcome of an attempt: a payment, or the reason why nothing was charged. */
export type PageAttemptOutcome =
  | { readonly kind: 'payment'; readonly id: string; readonly status: string }
  /** The invoice differs from what the payer saw. */
  | { readonly kind: 'changed' }
  /** The limit of attempts in this clock hour is reached. */
  | { readonly kind: 'too many' }
  /** The invoice is paid or cancelled, or a payment is in progress. The page shows which. */
  | { readonly kind: 'not payable' }
  /** The account is closed, or the service is in maintenance. */
  | { readonly kind: 'refused' };

/**
 * Pays the invoice if it is still as the payer saw it. Sending the same attempt again returns the same payment.
 * @param sourceIp the payer's address, against which the attempt counts
 * @throws Error if the table fails. An `ApiError` of the invoice's state becomes the outcome `not payable`.
 */
export async function payFromPage(
  invoice: LoadedRecord<Invoice>,
  { attempt, contentVersion, amount, card }: PageAttempt,
  { provider, sourceIp, now }: { provider: PaymentProvider; sourceIp: string; now: Instant },
): Promise<PageAttemptOutcome> {
  const { owner, id } = invoice;
  const key = await keyOf(owner, id, attempt, card);
  // Sending an attempt again is not a further attempt. It gets the stored answer and does not count.
  const stored = await readIdempotency(owner, key.keyHash, now);
  if (!stored && !(await isWithinAttemptLimits(id, sourceIp, now))) return { kind: 'too many' };
  const requireAsShown = (present: Invoice) => {
    if (contentVersionOf(present) !== contentVersion || present.amount !== amount) throw new InvoiceChanged();
  };
  const principal = await allocateSequenceNumberIfOpen(owner, 'payment');
  // The timer of the payment completes an attempt that started before the account was closed, or before maintenance.
  if (!principal) return { kind: stored ? 'not payable' : 'refused' };
  const command = createCardPaymentCommand(
    { principal, invoice, now },
    { amount: undefined, card, provider, key, require: requireAsShown },
  );
  try {
    const { answer } = await commit(command, { now, key });
    return { kind: 'payment', id: answer.id, status: answer.status };
  } catch (error) {
    if (error instanceof InvoiceChanged) return { kind: 'changed' };
    if (error instanceof ApiError) return { kind: 'not payable' };
    throw error;
  }
}

class InvoiceChanged extends Error {}

/** The idempotency key of the attempt. It is a keyed hash, so no idempotency key of a client gives the same one. */
async function keyOf(owner: Owner, invoiceId: string, attempt: string, card: Card): Promise<RequestKey> {
  const { digest } = await hmacCurrent(
    'fingerprint',
    canonicalJson(['pay', invoiceId, attempt, summarizeCard(card)]),
  );
  const keyHash = digest.toString('base64url');
  return { owner, keyHash, fingerprint: 'page', status: 201, matches: async () => true };
}
