/** Reads what the payment page shows. Writes nothing. */
import { randomAttempt } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { readPageSettings } from '../../domain/accounts/account-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { amountDueOf } from '../../domain/invoices/received-money.ts';
import { checkoutProviderOf } from '../../domain/payments/checkouts/checkout-provider.ts';
import { readPageConnections } from '../../domain/payments/connections/connection-store.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { readProviderPaymentOf } from '../../domain/payments/payment-store.ts';
import { providerOf } from '../../domain/payments/provider/registry.ts';
import { beginVisit, readVisit } from '../../domain/payments/visit.ts';
import type { PaymentPageDependencies } from './payment-page-state.ts';
import type { ReceiptView } from './payment-page-view.ts';

/** Reads what the page shows beside the invoice and its documents. @param visit the visit that the address names. If it is not one of the invoice, another one begins. */
export async function readPageDependencies(
  invoice: Invoice,
  visit: string,
  now: Instant,
): Promise<PaymentPageDependencies> {
  const [settings, connections, payment] = await Promise.all([
    readPageSettings(invoice.account, now),
    readPageConnections(invoice, now),
    readProviderPaymentOf(invoice),
  ]);
  return {
    settings,
    provider: checkoutProviderOf(connections, { ...invoice, amount: amountDueOf(invoice) }),
    dispute: shownDisputeOf(payment?.dispute),
    pendingPayment: payment?.status === 'pending' ? payment : undefined,
    takesCards: providerOf(invoice.mode) !== undefined,
    now,
    attempt: randomAttempt(),
    visit: (await readVisit(invoice.id, visit, now)) ? visit : await beginVisit(invoice.id, now),
  };
}

/** An inquiry of the bank is nothing that payers need to know: no money has moved. */
function shownDisputeOf(dispute: Payment['dispute']): ReceiptView['dispute'] {
  if (!dispute || dispute.status === 'inquiry' || dispute.status === 'closed') return undefined;
  return { status: dispute.status, amountMinor: dispute.amount };
}
