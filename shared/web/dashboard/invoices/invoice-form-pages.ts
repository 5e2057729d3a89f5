/** Serves the pages with the forms of invoices. */
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { newInvoiceValues } from './invoice-form.ts';
import { showCancelForm, showEditForm, showNewInvoiceForm, showReplaceInvoiceForm } from './invoice-views.ts';
import { showOfflinePaymentForm } from './offline-payment.ts';

const newInvoicePage: DashboardPage = {
  path: '/invoices/new',
  ability: 'invoices:write',
  handle: async ({ context, query }) =>
    showNewInvoiceForm(context, { fields: newInvoiceValues(query.get('customerId') ?? '') }),
};

/** Before `/invoices/:id` in the list of pages, because `new` is not an id. */
export const invoiceFormPages: readonly DashboardPage[] = [
  newInvoicePage,
  formPage('/invoices/:id/edit', 'invoices:write', showEditForm),
  formPage('/invoices/:id/replace', 'invoices:write', showReplaceInvoiceForm),
  formPage('/invoices/:id/cancel', 'invoices:write', showCancelForm),
  formPage('/invoices/:id/payment', 'payments:record', showOfflinePaymentForm),
];

function formPage(
  path: string,
  ability: DashboardPage['ability'],
  show: (context: DashboardContext, invoice: Invoice) => DashboardView,
): DashboardPage {
  return {
    path,
    ability,
    handle: async (request) => {
      const { record: invoice } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
      return invoice && show(request.context, invoice);
    },
  };
}
