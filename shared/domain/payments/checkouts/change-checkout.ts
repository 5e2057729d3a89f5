/**
 * Changes a checkout together with its invoice and its payment, in one transaction. The decision is made on the records as they are
 * when it is written. So of two workers, one settles.
 */

import { realClock } from '../../../base/clock.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { Command, requireNew } from '../../../store/commit/command.ts';
import { commitInBackground } from '../../../store/commit/commit.ts';
import { type LoadedRecord, readRecord } from '../../../store/records.ts';
import { allocateSequenceNumber } from '../../../store/sequence-numbers.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { isPaidBy } from '../../invoices/received-money.ts';
import { invoiceType } from '../../invoices/record.ts';
import type { Payment } from '../payment.ts';
import type { NewPaymentIdentity } from '../payment-changes.ts';
import { absentPayment, identifyPayment, readPayment } from '../payment-store.ts';
import type { Checkout, ProviderReferenceName } from './checkout.ts';
import { readCheckout } from './checkout-store.ts';
import { providerReferenceType } from './record.ts';
import { type CheckoutToSettle, type SettledChanges, unchanged } from './settled-changes.ts';
import { endDecided, pendingPaymentOf } from './transitions.ts';

/**
 * What became of a checkout.
 *
 * - `paid`: its payment has paid the invoice. `part`: it has paid a part, and the rest is due. `returned`: its payment is completed and is refunded.
 * - `failed`: its payment failed. `ended`: it is expired or voided, and made no payment.
 * - `waiting`: the provider does not know yet. `mismatch`: the provider reports another payment, or another amount, about
 *   which the merchant decides.
 */
export type SettledCheckout = 'paid' | 'part' | 'returned' | 'failed' | 'ended' | 'waiting' | 'mismatch';

/** A checkout as it was read. */
export type LoadedCheckout = LoadedRecord<Checkout> & { readonly record: Checkout };

/** How often other workers may change the payment of a checkout while this one settles it. */
const maxAttempts = 4;

type Decide = (
  target: CheckoutToSettle,
  named: ProviderReferenceName | undefined,
) => { readonly changes: SettledChanges; readonly answer: SettledCheckout };

/**
 * Decides on a checkout together with its invoice and its payment, which is the pending one or a new one.
 * @param name the id of the name of the payment at the provider, if the decision needs it
 */
export async function changeCheckout(
  checkout: LoadedCheckout,
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
  checkout: LoadedCheckout,
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
    named: ProviderReferenceName | undefined,
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
    return commitInBackground(command, realClock(now));
  }
  const named: LoadedRecord<ProviderReferenceName> = {
    type: providerReferenceType,
    owner,
    id: name,
    record: undefined,
  };
  const command = new Command<
    [Payment, Invoice, Checkout, ProviderReferenceName],
    SettledCheckout | 'outdated'
  >([payment, invoice, checkout, named], decideAll);
  return commitInBackground(command, realClock(now));
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
async function endDecidedCheckout(checkout: LoadedCheckout, now: Instant): Promise<SettledCheckout> {
  const command = new Command<[Checkout]>([checkout], (present) => ({
    changes: [present && endDecided(present)],
    answer: undefined,
  }));
  await commitInBackground(command, realClock(now));
  const { record: invoice } = await readInvoiceOf(checkout.record);
  return invoice ? useOf(checkout.record, invoice) : 'returned';
}

export const readInvoiceOf = (checkout: Checkout) => readRecord(invoiceType, checkout, checkout.invoiceId);

/** @throws Error if one of the two does not exist */
export function requireBoth(id: string, checkout: Checkout | undefined, invoice: Invoice | undefined) {
  if (!checkout || !invoice) throw new Error(`The checkout ${id} or its invoice does not exist.`);
  return { checkout, invoice };
}

/** What another worker has made of a checkout that has ended. */
export function outcomeOf({ checkout, invoice }: { checkout: Checkout; invoice: Invoice }): SettledCheckout {
  if (checkout.status !== 'completed') return 'ended';
  return useOf(checkout, invoice);
}

/** What the payment of a completed checkout was for. */
function useOf({ paymentId = '' }: Checkout, invoice: Invoice): 'paid' | 'part' | 'returned' {
  if (!isPaidBy(invoice, paymentId)) return 'returned';
  return invoice.status === 'paid' ? 'paid' : 'part';
}
