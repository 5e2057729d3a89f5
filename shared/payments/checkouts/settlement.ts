/**
 * Writes what a provider says about a checkout: one transaction for the payment, its name, the invoice and the checkout.
 *
 * - The decision is made on the records as they are when it is written. So of two workers, one settles.
 * - The currency and the key that the provider reports must be those of the checkout. Otherwise nothing is paid, and the
 *   checkout stays open and marked. A payment of another amount stays pending until the merchant decides.
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
import type { NewPaymentIdentity } from '../payment-changes.ts';
import type { CheckoutState, ReceivedPayment } from '../provider/hosted-provider.ts';
import { absentPayment, identifyPayment, readPayment } from '../store.ts';
import type { Checkout, ProviderPaymentName } from './checkout.ts';
import { providerPaymentId, providerPaymentType } from './record.ts';
import { readCheckout } from './store.ts';
import {
  abandonCheckout,
  awaitCheckout,
  type CheckoutToSettle,
  completeCheckout,
  detachCheckout,
  endDecided,
  isOfCheckout,
  markMismatch,
  pendingPaymentOf,
  refuseCheckout,
  reopenCheckout,
  type SettledChanges,
} from './transitions.ts';

/**
 * What became of a checkout.
 *
 * - `paid`: its payment has paid the invoice. `returned`: its payment is completed and is refunded.
 * - `failed`: its payment failed. `ended`: it is expired or voided, and made no payment.
 * - `waiting`: the provider does not know yet. `mismatch`: the provider reports another payment, or another amount, about
 *   which the merchant decides.
 */
export type SettledCheckout = 'paid' | 'returned' | 'failed' | 'ended' | 'waiting' | 'mismatch';

type Loaded = LoadedRecord<Checkout> & { readonly record: Checkout };

/** How often other workers may change the payment of a checkout while this one settles it. */
const maxAttempts = 4;

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
    if (isOfCheckout(checkout.record, state.payment)) return complete(checkout, state.payment, now);
    return noteMismatch(checkout, state.payment, now);
  }
  if (state.kind === 'refused') {
    return changeAll(checkout, undefined, now, (target) =>
      target.checkout.status === 'open'
        ? { changes: refuseCheckout(target, state.code, now), answer: 'failed' }
        : { changes: unchanged, answer: outcomeOf(target) },
    );
  }
  if (state.kind === 'expired') return endWithoutPayment(checkout, endAs, now);
  if (state.kind === 'open' && pendingPaymentOf(checkout.record) !== undefined) {
    return changeAll(checkout, undefined, now, (target) => ({
      changes: reopenCheckout(target, now),
      answer: 'waiting',
    }));
  }
  if (state.kind !== 'processing' || checkout.record.status !== 'open') return 'waiting';
  const reason = state.reason === 'capture' ? 'not_captured' : 'processing';
  return changeAll(checkout, undefined, now, (target) => ({
    changes: awaitCheckout(target, reason, now),
    answer: 'waiting',
  }));
}

const isReturned = ({ amountMinor, refundedMinor }: ReceivedPayment) => refundedMinor >= amountMinor;

/** Ends a checkout that nobody can pay, and releases its invoice. */
export async function endWithoutPayment(
  checkout: Loaded,
  status: 'expired' | 'voided',
  now: Instant,
): Promise<SettledCheckout> {
  if (pendingPaymentOf(checkout.record) !== undefined) {
    return changeAll(checkout, undefined, now, ({ payment, ...records }) => {
      const pending = 'pending' in payment ? payment.pending : undefined;
      const changes = abandonCheckout(records.checkout, records.invoice, status, pending, now);
      return { changes: [...changes, undefined], answer: 'ended' };
    });
  }
  const invoice = await readInvoiceOf(checkout.record);
  const command = new Command<[Checkout, Invoice], SettledCheckout | undefined>(
    [checkout, invoice],
    (present, presentInvoice) => {
      const records = requireBoth(checkout.id, present, presentInvoice);
      if (pendingPaymentOf(records.checkout) !== undefined)
        return { changes: [undefined, undefined], answer: undefined };
      const [, released, ended] = abandonCheckout(records.checkout, records.invoice, status);
      return { changes: [ended, released], answer: 'ended' };
    },
  );
  const outcome = await commitInBackground(command, now);
  // Another worker has stored a pending payment meanwhile. The next poll ends it.
  return outcome ?? 'waiting';
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
  const name = providerPaymentId(checkout.owner, checkout.record.provider, received.reference);
  return changeAll(checkout, name, now, (target, named) => {
    if (target.checkout.status === 'completed') return { changes: unchanged, answer: outcomeOf(target) };
    if (named) throw new Error(`The payment of ${checkout.id} belongs to ${named.paymentId} already.`);
    const { payment } = target;
    const known = 'pending' in payment ? payment.pending.providerReference : undefined;
    if (known !== undefined && known !== received.reference)
      return { changes: unchanged, answer: 'mismatch' };
    const changes = completeCheckout(target, received, known === undefined ? name : undefined, now);
    const after = changes[0]?.record;
    if (after?.status !== 'completed') return { changes, answer: 'mismatch' };
    return { changes, answer: after.pendingCompensation === undefined ? 'paid' : 'returned' };
  });
}

const unchanged: SettledChanges = [undefined, undefined, undefined, undefined];

type Decide = (
  target: CheckoutToSettle,
  named: ProviderPaymentName | undefined,
) => { readonly changes: SettledChanges; readonly answer: SettledCheckout };

/**
 * Decides on a checkout together with its invoice and its payment, which is the pending one or a new one.
 * @param name the id of the name of the payment at the provider, if the decision needs it
 */
async function changeAll(
  checkout: Loaded,
  name: string | undefined,
  now: Instant,
  decide: Decide,
): Promise<SettledCheckout> {
  let loaded = checkout;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const outcome = await changeOnce(loaded, name, now, decide);
    if (outcome !== 'outdated') return outcome;
    const again = await readCheckout(loaded.owner, loaded.id);
    if (!again.record) return 'ended';
    loaded = { ...again, record: again.record };
  }
  return 'waiting';
}

/** @returns `outdated` if another worker has changed which payment belongs to the checkout */
async function changeOnce(
  checkout: Loaded,
  name: string | undefined,
  now: Instant,
  decide: Decide,
): Promise<SettledCheckout | 'outdated'> {
  const { record, owner } = checkout;
  const pendingId = pendingPaymentOf(record);
  const [invoice, { payment, identity }] = await Promise.all([
    readInvoiceOf(record),
    paymentOf(owner, pendingId),
  ]);
  if (!identity && payment.record?.status !== 'pending') return endDecidedCheckout(checkout, now);
  const decideAll = (
    existing: Payment | undefined,
    presentInvoice: Invoice | undefined,
    present: Checkout | undefined,
    named: ProviderPaymentName | undefined,
  ) => {
    const records = requireBoth(checkout.id, present, presentInvoice);
    if (identity) requireNew(existing);
    const isOutdated =
      pendingPaymentOf(records.checkout) !== pendingId || (existing && existing.status !== 'pending');
    if (isOutdated) return { changes: unchanged, answer: 'outdated' } as const;
    if (existing) return decide({ ...records, payment: { pending: existing } }, named);
    if (!identity) throw new Error(`The payment ${pendingId} does not exist.`);
    return decide({ ...records, payment: { identity } }, named);
  };
  // A pending payment of this reference has the name already.
  if (name === undefined || payment.record?.providerReference !== undefined) {
    const command = new Command<[Payment, Invoice, Checkout], SettledCheckout | 'outdated'>(
      [payment, invoice, checkout],
      (existing, presentInvoice, present) => {
        const { changes, answer } = decideAll(existing, presentInvoice, present, undefined);
        return { changes: [changes[0], changes[1], changes[2]], answer };
      },
    );
    return commitInBackground(command, now);
  }
  const named: LoadedRecord<ProviderPaymentName> = {
    type: providerPaymentType,
    owner,
    id: name,
    record: undefined,
  };
  const command = new Command<
    [Payment, Invoice, Checkout, ProviderPaymentName],
    SettledCheckout | 'outdated'
  >([payment, invoice, checkout, named], decideAll);
  return commitInBackground(command, now);
}

/** Reads the pending payment of a checkout, or allocates the number of a new one. */
async function paymentOf(
  owner: Owner,
  pendingId: string | undefined,
): Promise<{ readonly payment: LoadedRecord<Payment>; readonly identity?: NewPaymentIdentity }> {
  if (pendingId !== undefined) return { payment: await readPayment(owner, pendingId) };
  const identity = identifyPayment(await allocateSequenceNumber(owner, 'payment'));
  return { payment: absentPayment(identity), identity };
}

/** Ends a checkout whose payment the merchant has accepted or returned. */
async function endDecidedCheckout(checkout: Loaded, now: Instant): Promise<SettledCheckout> {
  const command = new Command<[Checkout]>([checkout], (present) => ({
    changes: [present && endDecided(present)],
    answer: undefined,
  }));
  await commitInBackground(command, now);
  const { record: invoice } = await readInvoiceOf(checkout.record);
  return invoice?.receipt?.paymentId === checkout.record.paymentId ? 'paid' : 'returned';
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
