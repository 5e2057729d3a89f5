/** POST /pay/:id: pays from the page's form and redirects to the page, or leads the payer to the page of a provider. */

import * as routes from '../../shared/api/routes.ts';
import { readInvoiceOfAnyAccount } from '../../shared/domain/invoices/invoice-store.ts';
import { providerOf } from '../../shared/domain/payments/provider/registry.ts';
import { createPaymentPageHandler } from '../../shared/web/pages/payment-page-handler.ts';
import { readSentCheckout } from '../../shared/web/pages/sent-checkout.ts';
import { submitCard } from '../../shared/web/pages/submit-card.ts';
import { submitCheckout } from '../../shared/web/pages/submit-checkout.ts';
import { submitClaim } from '../../shared/web/pages/submit-claim.ts';

export const handler = createPaymentPageHandler(
  routes.submitPaymentPage,
  async (request, prepared) => {
    if (prepared) return submitCheckout(prepared, request);
    const loaded = await readInvoiceOfAnyAccount(request.params.id ?? '');
    if (!loaded?.record) return { status: 404, view: { kind: 'not_found' } };
    const { record: invoice } = loaded;
    request.logInvoice(invoice);
    if (request.form.has('claim')) return submitClaim(request, { ...loaded, record: invoice });
    const provider = providerOf(invoice.mode);
    return provider ? submitCard(request, { ...loaded, record: invoice }, provider) : { redirectTo: '?' };
  },
  { load: readSentCheckout },
);
