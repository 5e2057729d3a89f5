/** GET /pay/:id/logo: the logo on the payment page of an invoice. It is as public as the page. */

import * as routes from '../../shared/api/routes.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { readLogo } from '../../shared/domain/accounts/logo-store.ts';
import { readDocument } from '../../shared/domain/documents/document-store.ts';
import { readNumberedInvoice } from '../../shared/domain/documents/invoice-number-store.ts';
import { createPaymentPageHandler } from '../../shared/web/pages/payment-page-handler.ts';
import { isPageExpired } from '../../shared/web/pages/payment-page-state.ts';

/** The address contains the hash of the logo, so it always has the same bytes. */
const cacheControl = 'private, max-age=31536000, immutable';

export const handler = createPaymentPageHandler(
  routes.getPaymentPageLogo,
  async ({ params, query, now, logInvoice }) => {
    const { invoice, issued } = await readNumberedInvoice(undefined, params.id ?? '');
    if (!invoice || !issued) return { status: 404, view: { kind: 'not_found' } };
    logInvoice(invoice);
    const [settings, document] = await Promise.all([
      readPageSettings(invoice.account, now),
      readDocument(invoice, issued.lastIssue),
    ]);
    if (isPageExpired(invoice, settings.payLinkDays, now)) return { status: 404, view: { kind: 'expired' } };
    const logo = document?.content.seller.logo;
    const bytes = logo && logo.sha256 === query.sha256 ? await readLogo(invoice.account, logo) : undefined;
    if (!logo || !bytes) return { status: 404, view: { kind: 'not_found' } };
    return { file: { name: `logo.${logo.type.slice(6)}`, bytes, mediaType: logo.type, cacheControl } };
  },
);
