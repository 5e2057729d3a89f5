/**
 * Voids the open checkout of an invoice before the merchant changes the invoice. So an open page of a provider never
 * blocks the merchant, and nobody pays an amount that has changed.
 *
 * - Requests on invoices without an open checkout make no further call.
 * - Each outcome is written in a transaction of its own. If the process crashes after that, the client repeats the change.
 * - A client can force the change. Then the checkout ends here although the provider has not said so. The worker continues
 *   to void it, and money that still arrives pays the invoice if it is open, or is refunded.
 */

import { realClock } from '../../../base/clock.ts';
import { ApiError } from '../../../base/errors.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { Command } from '../../../store/commit/command.ts';
import { commitInBackground } from '../../../store/commit/commit.ts';
import { type RecordBase, readRecord } from '../../../store/records.ts';
import { CheckoutOpenError, releaseCheckout } from '../../invoices/open-checkout.ts';
import { isPaidBy } from '../../invoices/received-money.ts';
import { invoiceType } from '../../invoices/record.ts';
import { askProvider } from '../connections/ask-provider.ts';
import { providerWaitMs } from '../provider/answer-within.ts';
import type { SettledCheckout } from './change-checkout.ts';
import { type Checkout, requestOf } from './checkout.ts';
import { readCheckout } from './checkout-store.ts';
import { endWithoutAnswer, settleCheckout } from './settlement.ts';
import { isNeverShown } from './transitions.ts';

/**
 * Returns the command that first voids an open checkout of the invoice, if the change is allowed otherwise.
 *
 * - If the payer has paid already, the payment is settled and wins. If nothing is due any more, each command throws
 *   `invoice_already_paid`. Otherwise it decides on what is left.
 * - If the provider does not know, or does not answer, the command throws `payment_in_progress`.
 * @param force ends the checkout in this case, so that the command does not throw
 */
export function voidCheckoutFirst<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  now: Instant,
  force = false,
): Command<Rs, A> {
  const { loaded, decide } = command;
  return new Command<Rs, A>(loaded, decide, {
    ...command,
    resolveRefusal: async (refusal) => {
      const [owner] = loaded.map((record) => record.owner);
      if (!(refusal instanceof CheckoutOpenError) || !owner)
        return (await command.resolveRefusal?.(refusal)) ?? false;
      const outcome = await voidCheckout(owner, refusal.checkoutId, now);
      if (outcome === 'paid') throw new ApiError('invoice_already_paid', { message: paidMessage });
      if (outcome !== 'waiting' && outcome !== 'mismatch') return true;
      if (force) await endWithoutAnswer(owner, refusal.checkoutId, () => true, now);
      return force;
    },
  });
}

const paidMessage =
  'The payer has just paid this invoice, so it cannot be changed. Retrieve the invoice to see its status.';

/**
 * Voids a checkout of an owner at the provider, and writes what came of it. If the provider does not answer, a checkout
 * whose page is not stored ends nevertheless: no payer has the address of the page, and none will get it.
 */
export async function voidCheckout(owner: Owner, id: string, now: Instant): Promise<SettledCheckout> {
  const loaded = await readCheckout(owner, id);
  const checkout = loaded.record;
  if (checkout?.status !== 'open') return release(owner, id, checkout, now);
  const question = {
    owner: checkout,
    provider: checkout.provider,
    waitMs: providerWaitMs.request,
    about: { checkout: id },
  };
  const state = await askProvider(question, (provider) =>
    provider.void(requestOf(checkout), checkout.reference),
  );
  if (state) return settleCheckout({ ...loaded, record: checkout }, state.value, 'voided', now);
  const isEnded = await endWithoutAnswer(owner, id, isNeverShown, now);
  return isEnded ? 'ended' : 'waiting';
}

/** Another process has ended the checkout, and perhaps paid the invoice. The binding goes with it. */
async function release(
  owner: Owner,
  id: string,
  checkout: Checkout | undefined,
  now: Instant,
): Promise<SettledCheckout> {
  if (!checkout) return 'ended';
  const invoice = await readRecord(invoiceType, owner, checkout.invoiceId);
  const { paymentId } = checkout;
  const { record } = invoice;
  if (paymentId !== undefined && record?.status === 'paid' && isPaidBy(record, paymentId)) return 'paid';
  const command = new Command([invoice], (present) => ({
    changes: [present && releaseCheckout(present, id)],
    answer: undefined,
  }));
  await commitInBackground(command, realClock(now));
  return 'ended';
}
