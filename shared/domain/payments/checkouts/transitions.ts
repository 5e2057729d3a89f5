/**
 * Decides which changes of a checkout are allowed, and which changes of its invoice follow from each. `settled-changes.ts` decides
 * about its payment. The functions are pure: they get the time as an argument and do no input or output.
 *
 * - A checkout is `open` first, and then `completed`, `expired` or `voided`. If the provider reports money for an expired
 *   or voided checkout, it still becomes `completed`: money is never without a payment.
 * - Only an answer of the provider ends a checkout that a payer may pay, or a merchant who forces it.
 */
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type Change, internalChange } from '../../../store/commit/command.ts';
import type { Timer } from '../../../store/timers/timer-item.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { bindCheckout, releaseCheckout, requireNoCheckout } from '../../invoices/open-checkout.ts';
import { amountDueOf } from '../../invoices/received-money.ts';
import { contentVersionOf, requirePayable } from '../../invoices/transitions.ts';
import type { HostedProviderName, ReceivedPayment } from '../provider/hosted-provider.ts';
import { type Checkout, checkoutMs } from './checkout.ts';

/** When the worker looks at a new checkout for the first time, if no notification arrives before. */
const firstPollMs = 30_000;

/** The properties of a new checkout that the invoice does not determine. */
export interface NewCheckout extends Owner {
  readonly id: string;
  readonly provider: HostedProviderName;
  readonly returnUrl: string;
}

/**
 * Opens a checkout for what is due of the invoice now, or for a part of it, and binds the invoice to it. The caller stores both before it calls the
 * provider, so a crash cannot lose a payment.
 * @param amount in the smallest unit of the currency. The caller has checked it with `amountOf`
 * @throws ApiError as `requirePayable`
 * @throws CheckoutOpenError if the invoice has an open checkout already
 */
export function openCheckout(
  identity: NewCheckout,
  invoice: Invoice,
  now: Instant,
  amount = amountDueOf(invoice),
): readonly [Change<Checkout>, Change<Invoice>] {
  requirePayable(invoice);
  requireNoCheckout(invoice);
  const { id: invoiceId, currency, description, customerId } = invoice;
  const checkout: Checkout = {
    ...identity,
    version: 1,
    status: 'open',
    invoiceId,
    contentVersion: contentVersionOf(invoice),
    amount,
    currency,
    description,
    ...(customerId.includes('@') && { customerEmail: customerId }),
    createdAt: now,
    openUntil: now + checkoutMs,
  };
  const timers = [checkoutTimer(checkout, now + firstPollMs)];
  return [{ ...internalChange(checkout), timers }, bindCheckout(invoice, identity.id)];
}

/** Stores what the provider answered to `begin`. Returns undefined if the checkout has it already, or has ended. */
export function noteBegun(
  checkout: Checkout,
  { reference, redirectUrl }: { readonly reference: string; readonly redirectUrl: string },
): Change<Checkout> | undefined {
  if (checkout.status !== 'open' || checkout.redirectUrl !== undefined) return undefined;
  return nextCheckout(checkout, { reference, redirectUrl });
}

/** Whether a payment that the provider reports belongs to the checkout and has its currency. */
export function isOfCheckout(
  { id, currency }: Checkout,
  received: Pick<ReceivedPayment, 'key' | 'currency'>,
): boolean {
  return received.key === id && received.currency === currency;
}

/** Marks a checkout that reports a payment of another checkout or currency. Returns undefined if it is marked already. */
export function markMismatch(checkout: Checkout): Change<Checkout> | undefined {
  return checkout.hasMismatch ? undefined : nextCheckout(checkout, { hasMismatch: true });
}

/** The id of the pending payment of a checkout, or undefined if it has none. */
export const pendingPaymentOf = ({ status, paymentId }: Checkout): string | undefined =>
  status === 'completed' ? undefined : paymentId;

/** Ends the checkout of a payment about which the merchant has decided. */
export const endDecided = (checkout: Checkout): Change<Checkout> | undefined =>
  checkout.status === 'completed' ? undefined : endCheckout(checkout, 'completed', {});

/** Whether no payer has seen the page of the provider: its address is stored before a payer gets it. */
export const isNeverShown = ({ redirectUrl }: Checkout): boolean => redirectUrl === undefined;

/**
 * Ends an open checkout that the provider may still have, and releases the invoice. Sets the timer with which the worker
 * voids it at the provider.
 */
export function detachCheckout(
  checkout: Checkout,
  invoice: Invoice,
  now: Instant,
): readonly [Change<Checkout>, Change<Invoice> | undefined] {
  const timers = [checkoutTimer(checkout, now + firstPollMs)];
  return [{ ...endCheckout(checkout, 'voided', {}), timers }, releaseCheckout(invoice, checkout.id)];
}

/** The timer with which the worker asks the provider about a checkout, at `due`. */
export const checkoutTimer = ({ id }: Pick<Checkout, 'id'>, due: Instant): Timer => ({
  due,
  kind: 'checkout',
  reference: id,
});

/** Ends a checkout. A page that has ended needs no personal data. */
export function endCheckout(
  checkout: Checkout,
  status: 'completed' | 'expired' | 'voided',
  details: Partial<Checkout>,
): Change<Checkout> {
  return nextCheckout(checkout, { ...details, status, description: '', customerEmail: undefined });
}

/** Returns the change to the next version of a checkout. */
export function nextCheckout(checkout: Checkout, next: Partial<Checkout>): Change<Checkout> {
  return internalChange({ ...checkout, ...next, version: checkout.version + 1 });
}
