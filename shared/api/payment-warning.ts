/** Reads what decides whether payers can pay a new live invoice, for the header `Remit-Warning`. */
import type { Owner } from '../base/ids.ts';
import type { Instant } from '../base/time.ts';
import { readPageSettings } from '../domain/accounts/account-store.ts';
import type { Invoice } from '../domain/invoices/invoice.ts';
import { readPageConnections } from '../domain/payments/connections/connection-store.ts';
import { paymentProblemOf } from '../domain/payments/payment-ways.ts';

/** Returns the warning about an invoice, if there is one. */
type PaymentWarning = (invoice: Pick<Invoice, 'currency' | 'amount'>) => string | undefined;

/**
 * Reads the settings and the connections, which are at most 30 seconds old.
 * @returns the function that judges the invoice of the answer. Undefined: the page of an invoice of test mode offers a way in all cases.
 */
export async function readPaymentWarning({
  owner,
  now,
}: {
  readonly owner: Owner;
  readonly now: Instant;
}): Promise<PaymentWarning | undefined> {
  if (owner.mode === 'test') return undefined;
  const [settings, connections] = await Promise.all([
    readPageSettings(owner.account, now),
    readPageConnections(owner, now),
  ]);
  return (invoice) => paymentProblemOf(settings, connections, invoice);
}
