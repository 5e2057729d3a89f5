/** Decides whether payers find a way to pay on the payment pages of an account. Pure. */

import type { Currency } from '../../base/money.ts';
import type { AccountSettings } from '../accounts/account.ts';
import { type InstructionSettings, instructionsFor } from '../accounts/payment-instructions.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { connectionFor } from './connections/connection.ts';

type Settings = Partial<InstructionSettings & Pick<AccountSettings, 'paymentQr' | 'upiId'>>;
type Connections = Parameters<typeof connectionFor>[0];

/**
 * Whether live payment pages for invoices in a currency offer a way to pay. Pages in test mode always do.
 * @param amountMinor undefined leaves the limits of amounts out
 */
export function offersWayToPay(
  settings: Settings,
  connections: Connections,
  currency: Currency,
  amountMinor?: number,
): boolean {
  return (
    offersTransfer(settings, currency) || connectionFor(connections, currency, amountMinor) !== undefined
  );
}

/** Whether the settings say how payers pay an invoice in a currency by themselves, which the service does not see. */
export function offersTransfer(settings: Settings, currency: Currency): boolean {
  const { paymentQr, upiId } = settings;
  const ways = [instructionsFor(settings, currency), paymentQr, currency === 'INR' ? upiId : undefined];
  return ways.some((way) => way !== undefined);
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
