/** GET /pay/:id/pdf: the document of an invoice as PDF. Everyone who can open the payment page can download it. */

import * as routes from '../../shared/api/routes.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { readPayerPdfQuery } from '../../shared/domain/documents/document-pdf.ts';
import { readDocument } from '../../shared/domain/documents/document-store.ts';
import { readNumberedInvoice } from '../../shared/domain/documents/invoice-number-store.ts';
import { documentFile } from '../../shared/web/documents/document-file.ts';
import { createPaymentPageHandler } from '../../shared/web/pages/payment-page-handler.ts';
import { isPageExpired } from '../../shared/web/pages/payment-page-state.ts';

/** A PDF takes some ten times the computing time of the page. */
const weight = 10;

export const handler = createPaymentPageHandler(
  routes.getPaymentPagePdf,
  async ({ params, query, now, logInvoice }) => {
    const { invoice, issued } = await readNumberedInvoice(undefined, params.id ?? '');
    if (!invoice) return { status: 404, view: { kind: 'not_found' } };
    logInvoice(invoice);
    const { id, ...options } = readPayerPdfQuery(query);
    // The id of a document of another invoice is treated like one that does not exist.
    const wanted = id ?? issued?.lastIssue;
    const isOwn = wanted !== undefined && issued?.documents.includes(wanted);
    const [settings, document] = await Promise.all([
      readPageSettings(invoice.account, now),
      isOwn ? readDocument(invoice, wanted) : undefined,
    ]);
    if (isPageExpired(invoice, settings.payLinkDays, now)) return { status: 404, view: { kind: 'expired' } };
    if (!document) return { redirectTo: `../${invoice.id}` };
    const isCancelled = invoice.status === 'cancelled';
    return { file: await documentFile(invoice.account, document.content, { ...options, isCancelled }) };
  },
  { weight },
);
