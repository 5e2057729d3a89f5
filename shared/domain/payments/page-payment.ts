/**
 * Creates payments from the payment page.
 *
 * - The page gives each attempt a name. Sending an attempt twice with the same card makes one payment. The card is
 *   compared by its brand and last four digits, so that nothing derived from the rest of the card data is stored.
 * - Attempts that reach the provider are limited, see `attempt-limits.ts`. They do not count against the rate limit of
 *   the account.
 * - A payment allocates its sequence number last, when everything else allows it. So forms cannot load the account
 *   state, which every API request of the account needs, beyond the limits.
 */

import { clockAt, realClock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { canonicalJson } from '../../base/strict-json.ts';
import type { RealTime } from '../../base/time.ts';
import { hmacCurrent } from '../../platform/secrets/deployment-secret.ts';
import { commit, replay } from '../../store/commit/commit.ts';
import {
  type IdempotencyRecord,
  type RequestKey,
  readIdempotency,
} from '../../store/commit/idempotency-records.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { allocateSequenceNumberIfOpen } from '../../store/sequence-numbers.ts';
import { isWithinPageLimit } from '../auth/rate-limit.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf } from '../invoices/received-money.ts';
import { contentVersionOf, requirePayable } from '../invoices/transitions.ts';
import { forgiveAttempt, isWithinAttemptLimits } from './attempt-limits.ts';
import type { ShownPayment } from './payment.ts';
import { createCardPaymentCommand } from './payment-store.ts';
import { type Card, summarizeCard } from './provider/card.ts';
import type { PaymentProvider } from './provider/provider.ts';
import { captureAndSettle } from './settlement.ts';
import type { Visit } from './visit.ts';

/** An attempt to pay: the card, and the invoice as the payer saw it. */
export interface PageAttempt {
  /** The name that the page gave to the attempt. */
  readonly attempt: string;
  readonly contentVersion: number;
  /** What was due, in the smallest unit of the currency. */
  readonly amount: number;
  /** What the payer chose to pay of it. Undefined: all. */
  readonly part?: number | undefined;
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

/** What an attempt needs besides the form. */
export interface PageAttemptContext {
  readonly provider: PaymentProvider;
  /** The payer's address, against which the attempt counts if it fails. */
  readonly sourceIp: string;
  readonly visit: Visit | undefined;
  /** Reads whether the account takes payments now: it is not closed and not in maintenance. */
  readonly isOpen: () => Promise<boolean>;
  readonly now: RealTime;
}

/** A form that pays nothing counts as this many page views. */
export const uselessFormWeight = 10;

/**
 * Pays the invoice if it is still as the payer saw it. Sending the same attempt again returns the same payment.
 * @throws Error if the table fails. An `ApiError` of the invoice's state becomes the outcome `not payable`.
 */
export async function payFromPage(
  invoice: LoadedRecord<Invoice>,
  form: PageAttempt,
  context: PageAttemptContext,
): Promise<PageAttemptOutcome> {
  const { sourceIp, now } = context;
  const key = await keyOf(invoice.owner, invoice.id, form);
  const stored = await readIdempotency(invoice.owner, key.keyHash, now);
  if (stored) return repeatAttempt(stored, key, form, context);
  try {
    // The state is not the work of this attempt: the attempt's record was read after the invoice, and did not exist.
    requireAsShown(invoice.record, form);
  } catch (error) {
    return refusalOf(error);
  }
  if (!(await isWithinAttemptLimits({ ...context, invoiceId: invoice.id }, now))) {
    await isWithinPageLimit(sourceIp, uselessFormWeight, now);
    return { kind: 'too many' };
  }
  const outcome = await payOnce(invoice, form, key, context).catch(refusalOf);
  if (outcome.kind !== 'payment' || outcome.status === 'completed') await forgiveAttempt(sourceIp, now);
  return outcome;
}

/** Makes the payment of an attempt that the limits allow. */
async function payOnce(
  invoice: LoadedRecord<Invoice>,
  form: PageAttempt,
  key: RequestKey,
  { provider, now }: PageAttemptContext,
): Promise<PageAttemptOutcome> {
  const principal = await allocateSequenceNumberIfOpen(invoice.owner, 'payment');
  if (!principal) return { kind: 'refused' };
  const clock = clockAt(principal.clock, now);
  const command = createCardPaymentCommand(
    { principal, invoice, clock },
    {
      amount: form.part,
      card: form.card,
      provider,
      key,
      require: (present) => requireAsShown(present, form),
    },
  );
  return outcomeOf((await commit(command, { clock, key })).answer);
}

/** The attempts whose index entries this instance has added again. */
const repaired = new Set<string>();
const maxRepaired = 10_000;

/**
 * Answers an attempt that was sent before. It needs no sequence number.
 * - If the payment has an outcome, returns it. The first attempt may have crashed before it updated the lists, so an
 *   instance updates them once.
 * - Otherwise resumes the payment. If the account takes no payments now, the timer of the payment completes it.
 */
async function repeatAttempt(
  stored: IdempotencyRecord,
  key: RequestKey,
  { card }: PageAttempt,
  { provider, sourceIp, isOpen, now }: PageAttemptContext,
): Promise<PageAttemptOutcome> {
  if (!(await isWithinPageLimit(sourceIp, uselessFormWeight, now))) return { kind: 'too many' };
  if (stored.final && repaired.has(key.keyHash)) return outcomeOf(JSON.parse(stored.body));
  if (stored.final) {
    const { answer } = await replay<[], ShownPayment>(stored, key);
    if (repaired.size >= maxRepaired) repaired.clear();
    repaired.add(key.keyHash);
    return outcomeOf(answer);
  }
  if (!(await isOpen())) return { kind: 'not payable' };
  const { owner } = key;
  const id = stored.pendingOperation;
  return outcomeOf(
    (await captureAndSettle({ owner, id, records: undefined, card, provider, key, clock: realClock(now) }))
      .answer,
  );
}

const outcomeOf = ({ id, status }: ShownPayment): PageAttemptOutcome => ({ kind: 'payment', id, status });

/** Turns an error of the invoice's state into an outcome. Throws all other errors. */
function refusalOf(error: unknown): PageAttemptOutcome {
  if (error instanceof InvoiceChanged) return { kind: 'changed' };
  if (error instanceof ApiError) return { kind: 'not payable' };
  throw error;
}

/** @throws InvoiceChanged if the invoice differs from what the payer saw. ApiError if it cannot be paid now. */
function requireAsShown(present: Invoice | undefined, { contentVersion, amount }: PageAttempt): void {
  if (!present || contentVersionOf(present) !== contentVersion || amountDueOf(present) !== amount)
    throw new InvoiceChanged();
  requirePayable(present);
}

class InvoiceChanged extends Error {}

/** The idempotency key of the attempt. It is a keyed hash, so no idempotency key of a client gives the same one. */
async function keyOf(
  owner: Owner,
  invoiceId: string,
  { attempt, card, part }: PageAttempt,
): Promise<RequestKey> {
  const { digest } = await hmacCurrent(
    'fingerprint',
    canonicalJson(['pay', invoiceId, attempt, summarizeCard(card), ...(part === undefined ? [] : [part])]),
  );
  const keyHash = digest.toString('base64url');
  return { owner, keyHash, fingerprint: 'page', status: 201, matches: async () => true };
}
