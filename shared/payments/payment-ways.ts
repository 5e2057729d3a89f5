/** Decides whether payers find a way to pay on the payment pages of an account. */
import type { AccountSettings } from '../accounts/account.ts';
import { readPageSettings } from '../accounts/store.ts';
import type { Owner } from '../ids.ts';
import type { Currency } from '../money.ts';
import type { Instant } from '../time.ts';
import { connectionFor, readPageConnections } from './connections/store.ts';

/** Whether live payment pages for invoices in a currency offer a way to pay. Pages in test mode always do. */
export function offersWayToPay(
  { paymentInstructions, paymentQr, upiId }: Partial<AccountSettings>,
  connections: Parameters<typeof connectionFor>[0],
  currency: Currency,
): boolean {
  const ways = [paymentInstructions, paymentQr, currency === 'INR' ? upiId : undefined];
  return ways.some((way) => way !== undefined) || connectionFor(connections, currency) !== undefined;
}

/**
 * Returns the value of the header `Remit-Warning` for a new invoice in a currency, or undefined if payers can pay it. The
 * settings and connections are at most 30 seconds old, and are read beside each other.
 */
export async function readPaymentWarning(
  owner: Owner,
  currency: Currency,
  now: Instant,
): Promise<'no_payment_method' | undefined> {
  if (owner.mode === 'test') return undefined;
  const [settings, connections] = await Promise.all([
    readPageSettings(owner.account, now),
    readPageConnections(owner, now),
  ]);
  return offersWayToPay(settings, connections, currency) ? undefined : 'no_payment_method';
}
