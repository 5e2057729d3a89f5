/** Decides whether payers find a way to pay on the payment pages of an account. Pure. */
import type { AccountSettings } from '../accounts/account.ts';
import type { Currency } from '../money.ts';
import { connectionFor } from './connections/store.ts';

/** Whether live payment pages for invoices in a currency offer a way to pay. Pages in test mode always do. */
export function offersWayToPay(
  { paymentInstructions, paymentQr, upiId }: Partial<AccountSettings>,
  connections: Parameters<typeof connectionFor>[0],
  currency: Currency,
): boolean {
  const ways = [paymentInstructions, paymentQr, currency === 'INR' ? upiId : undefined];
  return ways.some((way) => way !== undefined) || connectionFor(connections, currency) !== undefined;
}
