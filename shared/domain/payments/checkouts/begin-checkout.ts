/**
 * Begins a checkout from the payment page, or continues the one that is open.
 *
 * - The checkout and the binding of the invoice are stored before the provider is called, and the checkout's id is the
 *   provider's key. After a crash, a second click or the worker continues the same checkout.
 * - An invoice has one open checkout, so all tabs get the same page of the provider. If the provider has ended it, or the
 *   invoice has changed, a new one begins.
 */

import { realClock } from '../../../base/clock.ts';
import { ApiError } from '../../../base/errors.ts';
import { randomCheckoutId } from '../../../base/ids.ts';
import { logger, serializeError } from '../../../base/log.ts';
import { metricFields } from '../../../base/metrics.ts';
import type { Instant } from '../../../base/time.ts';
import { Command } from '../../../store/commit/command.ts';
import { commitInBackground } from '../../../store/commit/commit.ts';
import { type LoadedRecord, readRecord } from '../../../store/records.ts';
import { setTimer } from '../../../store/timers/timers.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { CheckoutOpenError } from '../../invoices/open-checkout.ts';
import { amountDueOf } from '../../invoices/received-money.ts';
import { contentVersionOf, requirePayable } from '../../invoices/transitions.ts';
import { openProvider } from '../connections/open-provider.ts';
import { payableAmountOf, smallestPartOf } from '../payable-amount.ts';
import { answerWithin, providerWaitMs } from '../provider/answer-within.ts';
import {
  type BegunCheckout,
  type CheckoutState,
  type HostedProvider,
  ProviderCallError,
} from '../provider/hosted-provider.ts';
import { type Checkout, requestOf } from './checkout.ts';
import { readCheckout } from './checkout-store.ts';
import { absentCheckout } from './record.ts';
import { endWithoutPayment, settleCheckout } from './settlement.ts';
import { checkoutTimer, noteBegun, openCheckout } from './transitions.ts';
import { voidCheckout } from './void-checkout.ts';

/** The invoice as the payer saw it. */
export interface SeenInvoice {
  readonly contentVersion: number;
  /** What was due, in the smallest unit of the currency. */
  readonly amount: number;
  /** What the payer chose to pay of it. Undefined: all. */
  readonly part?: number | undefined;
}

/** What the payer gets after the pay button. */
export type BeginOutcome =
  /** The page of the provider. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** The payer has paid on the page of the provider, and the worker has not settled it yet. */
  | { readonly kind: 'confirming'; readonly checkoutId: string }
  /** The invoice differs from what the payer saw. */
  | { readonly kind: 'changed' }
  /** The invoice is paid or cancelled, or another payment is in progress. */
  | { readonly kind: 'not payable' }
  | { readonly kind: 'too many' }
  /** The provider takes no such checkout. */
  | { readonly kind: 'refused' }
  /** The provider does not answer. Nothing was charged. */
  | { readonly kind: 'unavailable' };

export interface BeginContext {
  /** The provider of a new checkout. */
  readonly provider: HostedProvider;
  /** Whether the limits of attempts allow a new checkout. */
  readonly isWithinLimits: boolean;
  /** Runs beside the write that stores what the provider began. It never rejects. */
  readonly onBegun: () => Promise<void>;
  /** Returns the query with which the payer returns to the page. */
  readonly returnQuery: (checkoutId: string) => string;
  readonly now: Instant;
}

type Loaded = LoadedRecord<Checkout> & { readonly record: Checkout };

/** How often the open checkout of an invoice may end while a payer begins one. */
const maxAttempts = 3;

/** Returns the page of the provider on which the payer pays the invoice, if the invoice is still as the payer saw it. */
export async function beginCheckout(
  loaded: LoadedRecord<Invoice>,
  seen: SeenInvoice,
  context: BeginContext,
): Promise<BeginOutcome> {
  let invoice = loaded;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const refusal = refusalOf(invoice.record, seen);
    if (refusal || !invoice.record) return refusal ?? { kind: 'not payable' };
    const { openCheckout: openId } = invoice.record;
    const outcome =
      openId === undefined
        ? await beginNew(invoice, seen, context)
        : await continueOpen(openId, invoice.record, seen, context);
    if (outcome) return outcome;
    invoice = await readRecord(invoice.type, invoice.owner, invoice.id);
  }
  return { kind: 'unavailable' };
}

/** Returns why the invoice cannot be paid now, or undefined. */
function refusalOf(invoice: Invoice | undefined, { contentVersion, amount, part }: SeenInvoice) {
  if (!invoice || contentVersionOf(invoice) !== contentVersion || amountDueOf(invoice) !== amount)
    return { kind: 'changed' } as const;
  try {
    requirePayable(invoice);
    payableAmountOf(invoice, part, smallestPartOf(invoice));
    return undefined;
  } catch (error) {
    // The merchant has forbidden parts since.
    if (error instanceof ApiError && error.code === 'invalid_amount') return { kind: 'changed' } as const;
    if (error instanceof ApiError) return { kind: 'not payable' } as const;
    throw error;
  }
}

/** Returns undefined if the invoice has an open checkout meanwhile. */
async function beginNew(
  invoice: LoadedRecord<Invoice>,
  seen: SeenInvoice,
  context: BeginContext,
): Promise<BeginOutcome | undefined> {
  const { provider, isWithinLimits, returnQuery, now } = context;
  if (!isWithinLimits) return { kind: 'too many' };
  const absent = absentCheckout(invoice.owner, randomCheckoutId());
  const { id, owner } = absent;
  const command = new Command<[Checkout, Invoice], Checkout | BeginOutcome>(
    [absent, invoice],
    (existing, present) => {
      const refusal = refusalOf(present, seen);
      if (existing || !present || refusal)
        return { changes: [undefined, undefined], answer: refusal ?? { kind: 'unavailable' } };
      const returnUrl = `${present.paymentUrl}${returnQuery(id)}`;
      const identity = { ...owner, id, provider: provider.name, returnUrl };
      const changes = openCheckout(identity, present, now, seen.part);
      return { changes, answer: changes[0].record };
    },
  );
  try {
    const opened = await commitInBackground(command, realClock(now));
    return 'kind' in opened ? opened : await beginAtProvider({ ...absent, record: opened }, context);
  } catch (error) {
    if (error instanceof CheckoutOpenError) return undefined;
    throw error;
  }
}

/** Continues the open checkout of an invoice. Returns undefined if it has ended, so a new one can begin. */
async function continueOpen(
  id: string,
  invoice: Invoice,
  { part = amountDueOf(invoice) }: SeenInvoice,
  context: BeginContext,
): Promise<BeginOutcome | undefined> {
  const { now } = context;
  const loaded = await readCheckout(invoice, id);
  const { record } = loaded;
  const isCurrent =
    record?.status === 'open' &&
    record.contentVersion === contentVersionOf(invoice) &&
    record.amount === part;
  if (!isCurrent) {
    const ended = await voidCheckout(invoice, id, now);
    return ended === 'waiting' || ended === 'mismatch' ? { kind: 'confirming', checkoutId: id } : undefined;
  }
  const checkout = { ...loaded, record };
  const provider = await openProvider(record, record.provider);
  if (!provider) return { kind: 'unavailable' };
  if (record.redirectUrl === undefined) return beginAtProvider(checkout, { ...context, provider });
  let state: CheckoutState;
  try {
    const call = provider.status(requestOf(record), record.reference, true);
    state = await answerWithin(call, providerWaitMs.request);
  } catch (error) {
    return unavailable(record, error);
  }
  if (state.kind === 'open') return { kind: 'redirect', url: record.redirectUrl };
  if (state.kind === 'absent') return beginAtProvider(checkout, { ...context, provider });
  if (state.kind === 'paid' || state.kind === 'processing') {
    await setTimer(checkoutTimer(record, now), now);
    return { kind: 'confirming', checkoutId: id };
  }
  await settleCheckout(checkout, state, 'expired', now);
  return undefined;
}

/** Asks the provider to begin a stored checkout, and stores the answer. */
async function beginAtProvider(
  checkout: Loaded,
  { provider, onBegun, now }: BeginContext,
): Promise<BeginOutcome | undefined> {
  let begun: BegunCheckout;
  try {
    begun = await answerWithin(provider.begin(requestOf(checkout.record)), providerWaitMs.request);
  } catch (error) {
    return (await begunByAnotherTab(checkout)) ?? unavailable(checkout.record, error);
  }
  if (begun.kind === 'refused') {
    const other = await begunByAnotherTab(checkout);
    if (other) return other;
    const { reason } = begun;
    const { account, mode } = checkout.owner;
    logger.error('the provider refused a checkout', {
      account,
      mode,
      checkout: checkout.id,
      ...metricFields({ CheckoutRefusals: 1 }, { provider: provider.name, reason }),
    });
    await endWithoutPayment(checkout, 'voided', now, reason);
    return { kind: 'refused' };
  }
  const { reference, redirectUrl } = begun;
  const command = new Command<[Checkout], string | undefined>([checkout], (present) => ({
    changes: [present && noteBegun(present, { reference, redirectUrl })],
    answer: present?.status === 'open' ? (present.redirectUrl ?? redirectUrl) : undefined,
  }));
  // Undefined if the merchant has changed the invoice meanwhile, which voided the checkout.
  const [url] = await Promise.all([commitInBackground(command, realClock(now)), onBegun()]);
  return url === undefined ? undefined : { kind: 'redirect', url };
}

/** Returns the page of the provider if another tab has begun the same checkout at this moment. */
async function begunByAnotherTab({ owner, id }: Loaded): Promise<BeginOutcome | undefined> {
  const { record } = await readCheckout(owner, id);
  const isBegun = record?.status === 'open' && record.redirectUrl !== undefined;
  return isBegun ? { kind: 'redirect', url: record.redirectUrl } : undefined;
}

/** @throws `error` if the provider did not cause it */
function unavailable({ account, mode, id }: Checkout, error: unknown): BeginOutcome {
  if (!(error instanceof ProviderCallError)) throw error;
  logger.warn('a provider did not answer', { account, mode, checkout: id, error: serializeError(error) });
  return { kind: 'unavailable' };
}
