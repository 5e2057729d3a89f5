/** GET /pay/:id: shows the payment page of an invoice. Everyone who has the address can open it. */

import * as routes from '../../shared/api/routes.ts';
import { randomAttempt } from '../../shared/base/ids.ts';
import type { Instant } from '../../shared/base/time.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { readNumberedInvoice } from '../../shared/domain/documents/invoice-number-store.ts';
import { readPayerDocuments } from '../../shared/domain/documents/payer-documents-store.ts';
import type { Invoice } from '../../shared/domain/invoices/invoice.ts';
import { amountDueOf } from '../../shared/domain/invoices/received-money.ts';
import { checkoutProviderOf } from '../../shared/domain/payments/checkouts/checkout-provider.ts';
import { hintByPayer } from '../../shared/domain/payments/checkouts/hint.ts';
import { readPageConnections } from '../../shared/domain/payments/connections/connection-store.ts';
import type { Payment } from '../../shared/domain/payments/payment.ts';
import {
  readPaymentOfAnyAccount,
  readProviderPaymentOf,
} from '../../shared/domain/payments/payment-store.ts';
import { providerOf } from '../../shared/domain/payments/provider/registry.ts';
import { beginVisit, readVisit } from '../../shared/domain/payments/visit.ts';
import { checkoutReturnOf, refreshOf } from '../../shared/web/pages/checkout-return.ts';
import {
  createPaymentPageHandler,
  withoutEndOfSentence,
} from '../../shared/web/pages/payment-page-handler.ts';
import {
  buildPaymentPageView,
  type CheckoutReturn,
  formNoticeOf,
  type PaymentPageDependencies,
  withClaimForm,
} from '../../shared/web/pages/payment-page-state.ts';
import type { PaymentPageView, ReceiptView } from '../../shared/web/pages/payment-page-view.ts';

export const handler = createPaymentPageHandler(routes.showPaymentPage, async (request) => {
  const { query, now } = request;
  const { id = '' } = request.params;
  const plainId = withoutEndOfSentence(id);
  if (plainId !== id) return { redirectTo: plainId };
  const [{ invoice, issued }, payment] = await Promise.all([
    readNumberedInvoice(undefined, id),
    readPaymentOfAnyAccount(String(query.payment ?? '')),
  ]);
  if (!invoice) return { status: 404, view: { kind: 'not_found' } };
  request.logInvoice(invoice);
  if (invoice.replacedBy !== undefined) return { redirectTo: invoice.replacedBy };
  const [documents, read] = await Promise.all([
    readPayerDocuments(invoice, issued),
    readDependencies(invoice, String(query.visit ?? ''), now),
  ]);
  const dependencies = { ...read, documents };
  const again = (['changed', 'part'] as const).find((name) => query[name] !== undefined);
  const notice = formNoticeOf(invoice, payment?.record, again);
  const returned = checkoutReturnOf(query);
  const shown = buildPaymentPageView(invoice, dependencies, notice && { notice }, returned);
  const view = query.claim === undefined ? shown : withClaimForm(shown, { visit: dependencies.visit });
  const hinted = hintedCheckoutOf(view, returned);
  if (hinted !== undefined) await hintByPayer(hinted, now);
  return { status: view.kind === 'expired' ? 404 : 200, view, refresh: refreshOf(view, query) };
});

/** @param visit the visit that the address names. If it is not one of the invoice, another one begins. */
async function readDependencies(
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

/** Returns the checkout that the payer may have paid, also one that has ended. */
function hintedCheckoutOf(view: PaymentPageView, returned: CheckoutReturn | undefined): string | undefined {
  if (view.kind === 'confirming') return view.checkoutId;
  return view.kind === 'checkout' && !returned?.cancelled ? returned?.checkoutId : undefined;
}
