/** Decides whether payers find a way to pay on the payment pages of an account. Pure. */

import type { Currency } from '../../base/money.ts';
import type { AccountSettings } from '../accounts/account.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { connectionFor } from './connections/connection.ts';

type Settings = Partial<Pick<AccountSettings, 'paymentInstructions' | 'paymentQr' | 'upiId'>>;
type Connections = Parameters<typeof connectionFor>[0];

/**
 * Whether live payment pages for invoices in a currency offer a way to pay. Pages in test mode always do.
 * @param amountMinor undefined leaves the limits of amounts out
 */
export function offersWayToPay(
  { paymentInstructions, paymentQr, upiId }: Settings,
  connections: Connections,
  currency: Currency,
  amountMinor?: number,
): boolean {
  const ways = [paymentInstructions, paymentQr, currency === 'INR' ? upiId : undefined];
  return (
    ways.some((way) => way !== undefined) || connectionFor(connections, currency, amountMinor) !== undefined
  );
}

/**
 * Returns why payers cannot pay a live invoice as the merchant expects, or undefined. `amount_not_accepted`: the account is connected
 * to a provider that takes the currency, and its limits exclude the amount.
 */
export function paymentProblemOf(
  settings: Settings,
  connections: Connections,
  { currency, amount }: Pick<Invoice, 'currency' | 'amount'>,
): 'amount_not_accepted' | 'no_payment_method' | undefined {
  const isConnected = connectionFor(connections, currency) !== undefined;
  if (isConnected && !connectionFor(connections, currency, amount)) return 'amount_not_accepted';
  return offersWayToPay(settings, connections, currency, amount) ? undefined : 'no_payment_method';
}
