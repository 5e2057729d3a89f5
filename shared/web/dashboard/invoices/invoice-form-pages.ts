/** Serves the pages with the forms of invoices. */
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { readInvoiceChoices } from './invoice-choices.ts';
import { duplicateValues, newInvoiceValues } from './invoice-form.ts';
import { showCancelForm, showEditForm, showNewInvoiceForm, showReplaceInvoiceForm } from './invoice-views.ts';
import { offlinePaymentPage } from './offline-payment.ts';
import { showSendForm } from './send-invoice.ts';

const newInvoicePage: DashboardPage = {
  path: '/invoices/new',
  ability: 'invoices:write',
  handle: async (request) => {
    const { context, query } = request;
    const from = query.get('from');
    const [choices, copied] = await Promise.all([
      readInvoiceChoices(context),
      from === null ? undefined : readInvoice(requestOwnerOf(request), from),
    ]);
    if (copied && !copied.record) return undefined;
    const fields = copied?.record
      ? duplicateValues(context, copied.record, choices)
      : newInvoiceValues(query.get('customerId') ?? '', choices);
    return showNewInvoiceForm(context, { fields });
  },
};

/** Before `/invoices/:id` in the list of pages, because `new` is not an id. */
export const invoiceFormPages: readonly DashboardPage[] = [
  newInvoicePage,
  lineFormPage('/invoices/:id/edit', showEditForm),
  lineFormPage('/invoices/:id/replace', showReplaceInvoiceForm),
  formPage('/invoices/:id/cancel', 'invoices:write', showCancelForm),
  offlinePaymentPage,
  formPage('/invoices/:id/send', 'invoices:write', showSendForm),
];

function lineFormPage(
  path: string,
  show: (context: DashboardContext, invoice: Invoice) => Promise<DashboardView>,
): DashboardPage {
  return {
    path,
    ability: 'invoices:write',
    handle: async (request) => {
      const { context, params } = request;
      const [{ record: invoice }] = await Promise.all([
        readInvoice(requestOwnerOf(request), params.id ?? ''),
        readInvoiceChoices(context),
      ]);
      return invoice && show(context, invoice);
    },
  };
}

function formPage(
  path: string,
  ability: DashboardPage['ability'],
  show: (
    context: DashboardContext,
    invoice: Invoice,
    failed: undefined,
    query: URLSearchParams,
  ) => DashboardView | Promise<DashboardView>,
): DashboardPage {
  return {
    path,
    ability,
    handle: async (request) => {
      const { record: invoice } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
      return invoice && show(request.context, invoice, undefined, request.query);
    },
  };
}
