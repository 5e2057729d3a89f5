/**
 * Writes what a provider says about a checkout: one transaction for the payment, its name, the invoice and the checkout.
 *
 * - The decision is made on the records as they are when it is written. So of two workers, one settles.
 * - The amount, the currency and the key that the provider reports must be those of the checkout. Otherwise nothing is
 *   paid, and the checkout stays open and marked.
 */
import type { Owner } from '../../ids.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { invoiceType } from '../../invoices/record.ts';
import { logger } from '../../log.ts';
import { metricFields } from '../../metrics.ts';
import { Command, requireNew } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import { allocateSequenceNumber } from '../../store/sequence-numbers.ts';
import type { Instant } from '../../time.ts';
import type { Payment } from '../payment.ts';
import type { CheckoutState, ReceivedPayment } from '../provider/hosted-provider.ts';
import { absentPayment, identifyPayment } from '../store.ts';
import type { Checkout, ProviderPaymentName } from './checkout.ts';
import { providerPaymentId, providerPaymentType } from './record.ts';
import { readCheckout } from './store.ts';
import {
  abandonCheckout,
  completeCheckout,
  detachCheckout,
  isExpectedPayment,
  markMismatch,
  refuseCheckout,
} from './transitions.ts';

/**
 * What became of a checkout.
 *
 * - `paid`: its payment has paid the invoice. `returned`: its payment is completed and is refunded.
 * - `failed`: its payment failed. `ended`: it is expired or voided, and made no payment.
 * - `waiting`: the provider does not know yet. `mismatch`: the provider reports another payment.
 */
export type SettledCheckout = 'paid' | 'returned' | 'failed' | 'ended' | 'waiting' | 'mismatch';

type Loaded = LoadedRecord<Checkout> & { readonly record: Checkout };

/**
 * Applies the state of a checkout at the provider.
 * @param endAs the status of a checkout that the provider has ended without a payment
 */
export async function settleCheckout(
  checkout: Loaded,
  state: CheckoutState,
  endAs: 'expired' | 'voided',
  now: Instant,
): Promise<SettledCheckout> {
  if (state.kind === 'paid') {
    // Somebody has returned the money at the provider, so nothing was paid.
    if (isReturned(state.payment)) return endWithoutPayment(checkout, endAs, now);
    if (isExpectedPayment(checkout.record, state.payment)) return complete(checkout, state.payment, now);
    return noteMismatch(checkout, state.payment, now);
  }
  if (state.kind === 'refused') return refuse(checkout, state, now);
  if (state.kind === 'expired') return endWithoutPayment(checkout, endAs, now);
  return 'waiting';
}

const isReturned = ({ amountMinor, refundedMinor }: ReceivedPayment) => refundedMinor >= amountMinor;

/** Ends a checkout that nobody can pay, and releases its invoice. */
export async function endWithoutPayment(
  checkout: Loaded,
  status: 'expired' | 'voided',
  now: Instant,
): Promise<'ended'> {
  const invoice = await readInvoiceOf(checkout.record);
  const command = new Command<[Checkout, Invoice]>([checkout, invoice], (present, presentInvoice) => {
    const records = requireBoth(checkout.id, present, presentInvoice);
    return { changes: abandonCheckout(records.checkout, records.invoice, status), answer: undefined };
  });
  await commitInBackground(command, now);
  return 'ended';
}

/**
 * Ends an open checkout although the provider has not said that nobody can pay it, and releases its invoice. The worker
 * then asks the provider until it says so.
 * @param allows decides on the checkout as it is now
 * @returns whether the checkout has ended
 */
export async function endWithoutAnswer(
  owner: Owner,
  id: string,
  allows: (checkout: Checkout) => boolean,
  now: Instant,
): Promise<boolean> {
  const checkout = await readCheckout(owner, id);
  if (!checkout.record) return true;
  const invoice = await readInvoiceOf(checkout.record);
  const command = new Command<[Checkout, Invoice], boolean>(
    [checkout, invoice],
    (present, presentInvoice) => {
      const records = requireBoth(id, present, presentInvoice);
      const isOpen = records.checkout.status === 'open';
      if (!isOpen || !allows(records.checkout)) return { changes: [undefined, undefined], answer: !isOpen };
      return { changes: detachCheckout(records.checkout, records.invoice, now), answer: true };
    },
  );
  return commitInBackground(command, now);
}

async function complete(checkout: Loaded, received: ReceivedPayment, now: Instant): Promise<SettledCheckout> {
  const { record, owner } = checkout;
  const name = providerPaymentId(owner, record.provider, received.reference);
  const [invoice, principal] = await Promise.all([
    readInvoiceOf(record),
    allocateSequenceNumber(owner, 'payment'),
  ]);
  const identity = identifyPayment(principal);
  const named: LoadedRecord<ProviderPaymentName> = {
    type: providerPaymentType,
    owner,
    id: name,
    record: undefined,
  };
  const command = new Command<[Payment, Invoice, Checkout, ProviderPaymentName], SettledCheckout>(
    [absentPayment(identity), invoice, checkout, named],
    (existing, presentInvoice, present, taken) => {
      requireNew(existing);
      const records = requireBoth(checkout.id, present, presentInvoice);
      if (records.checkout.status === 'completed') {
        return { changes: [undefined, undefined, undefined, undefined], answer: outcomeOf(records) };
      }
      if (taken) throw new Error(`The payment of ${checkout.id} belongs to ${taken.paymentId} already.`);
      const changes = completeCheckout({ ...records, identity, name }, received, now);
      const paid = changes[0].record.pendingCompensation === undefined;
      return { changes, answer: paid ? 'paid' : 'returned' };
    },
  );
  return commitInBackground(command, now);
}

async function refuse(
  checkout: Loaded,
  { code }: Extract<CheckoutState, { kind: 'refused' }>,
  now: Instant,
): Promise<SettledCheckout> {
  const [invoice, principal] = await Promise.all([
    readInvoiceOf(checkout.record),
    allocateSequenceNumber(checkout.owner, 'payment'),
  ]);
  const identity = identifyPayment(principal);
  const command = new Command<[Payment, Invoice, Checkout], SettledCheckout>(
    [absentPayment(identity), invoice, checkout],
    (existing, presentInvoice, present) => {
      requireNew(existing);
      const records = requireBoth(checkout.id, present, presentInvoice);
      if (records.checkout.status !== 'open')
        return { changes: [undefined, undefined, undefined], answer: outcomeOf(records) };
      return { changes: refuseCheckout({ ...records, identity }, code, now), answer: 'failed' };
    },
  );
  return commitInBackground(command, now);
}

/** Marks the checkout, and reports the difference each time the provider is asked, so that the alarm stays on. */
async function noteMismatch(checkout: Loaded, received: ReceivedPayment, now: Instant): Promise<'mismatch'> {
  const command = new Command<[Checkout]>([checkout], (present) => ({
    changes: [present?.status === 'open' ? markMismatch(present) : undefined],
    answer: undefined,
  }));
  await commitInBackground(command, now);
  const { id, amount, currency } = checkout.record;
  logger.error('the provider reports another payment than the checkout asked for', {
    checkout: id,
    expected: { key: id, amountMinor: amount, currency },
    reported: {
      key: received.key,
      amountMinor: received.amountMinor,
      currency: received.currency,
      reference: received.reference,
    },
    ...metricFields({ CheckoutMismatches: 1 }),
  });
  return 'mismatch';
}

const readInvoiceOf = (checkout: Checkout) => readRecord(invoiceType, checkout, checkout.invoiceId);

function requireBoth(id: string, checkout: Checkout | undefined, invoice: Invoice | undefined) {
  if (!checkout || !invoice) throw new Error(`The checkout ${id} or its invoice does not exist.`);
  return { checkout, invoice };
}

/** What another worker has made of a checkout that has ended. */
function outcomeOf({ checkout, invoice }: { checkout: Checkout; invoice: Invoice }): SettledCheckout {
  if (checkout.status !== 'completed') return 'ended';
  return invoice.receipt?.paymentId === checkout.paymentId ? 'paid' : 'returned';
}
