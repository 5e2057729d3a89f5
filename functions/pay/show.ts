/** GET /pay/:id: shows the payment page of an invoice. Everyone who has the address can open it. */

import * as routes from '../../shared/api/routes.ts';
import { readNumberedInvoice } from '../../shared/domain/documents/invoice-number-store.ts';
import { readPayerDocuments } from '../../shared/domain/documents/payer-documents-store.ts';
import { hintByPayer } from '../../shared/domain/payments/checkouts/hint.ts';
import { readPaymentOfAnyAccount } from '../../shared/domain/payments/payment-store.ts';
import { checkoutReturnOf, refreshOf } from '../../shared/web/pages/checkout-return.ts';
import {
  createPaymentPageHandler,
  withoutEndOfSentence,
} from '../../shared/web/pages/payment-page-handler.ts';
import {
  buildPaymentPageView,
  type CheckoutReturn,
  formNoticeOf,
  withClaimForm,
} from '../../shared/web/pages/payment-page-state.ts';
import type { PaymentPageView } from '../../shared/web/pages/payment-page-view.ts';
import { readPageDependencies } from '../../shared/web/pages/read-page.ts';

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
    readPageDependencies(invoice, String(query.visit ?? ''), now),
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

/** Returns the checkout that the payer may have paid, also one that has ended. */
function hintedCheckoutOf(view: PaymentPageView, returned: CheckoutReturn | undefined): string | undefined {
  if (view.kind === 'confirming') return view.checkoutId;
  return view.kind === 'checkout' && !returned?.cancelled ? returned?.checkoutId : undefined;
}
