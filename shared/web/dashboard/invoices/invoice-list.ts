/** Shows the list of invoices. */
import { html } from 'hono/html';
import { statuses } from '../../../base/statuses.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { listInvoicesQuery, type ShownInvoice } from '../../../domain/invoices/invoice.ts';
import { formatPaymentReference } from '../../../domain/invoices/payment-reference.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { commonFilterNames, commonFilters } from '../records/common-filters.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { fileLinksOf } from '../records/file-links.ts';
import { parseListQuery } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderLine,
  renderShortIdLink,
  renderStatus,
} from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortDueDate, renderShortTime } from '../times.ts';
import { draftTexts } from './draft-texts.ts';
import { readInvoices } from './invoice-queries.ts';
import { invoiceTexts } from './invoice-texts.ts';

export const invoiceListPage: DashboardPage = {
  path: '/invoices',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listInvoicesQuery, request, [
      ...commonFilterNames,
      'customerId',
      'reference',
      'paymentReference',
      'offset',
    ]);
    const owner = requestOwnerOf(request);
    const { data, pagination } = await readInvoices(owner, query, context.now);
    const names = await readCustomerNames(owner, data);
    const { customerId, reference, paymentReference } = query;
    const { status, ...others } = commonFilters(request.query, errors, statuses.invoice);
    return {
      title: invoiceTexts.title,
      section: 'invoices',
      aside: renderListActions(context),
      content: renderList({
        link: context.url('/invoices'),
        filters: {
          status,
          customerId: { label: fieldNames.customer, value: customerId },
          reference: { label: fieldNames.ownReference, value: reference },
          paymentReference: {
            label: fieldNames.paymentReference,
            value: paymentReference && formatPaymentReference(paymentReference),
          },
          ...others,
        },
        errors,
        files: fileLinksOf(context, 'invoices'),
        ...offsetPartOf(data, pagination, renderInvoiceTable(context, data, names)),
        empty: `${invoiceTexts.empty} ${invoiceTexts.emptyHint}`,
        noMatch: invoiceTexts.noMatch,
      }),
    };
  },
};

/** Renders invoices as a table. @param names those of their customers */
export function renderInvoiceTable(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  invoices: readonly ShownInvoice[],
  names: CustomerNames,
): Markup {
  const columns = [
    { title: fieldNames.invoice },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.status },
    { title: fieldNames.customer },
    { title: fieldNames.description },
    { title: fieldNames.due },
    { title: fieldNames.created },
  ];
  const rows = invoices.map((invoice) => [
    renderShortIdLink(context, '/invoices', invoice.id),
    renderAmount(invoice.amount, invoice.currency),
    renderStatus(invoice.status),
    renderCustomerName(context, names, invoice),
    renderLine(invoice.description),
    renderShortDueDate(context, invoice.dueDate),
    renderShortTime(context, Date.parse(invoice.createdAt)),
  ]);
  return renderTable(invoiceTexts.table, columns, rows);
}

function renderListActions({ can, url }: DashboardContext): Markup {
  return html`<div class="buttons">${renderButtonLink(url('/drafts'), draftTexts.title)}${can('invoices:write') ? renderButtonLink(url('/invoices/new'), invoiceTexts.create, '') : ''}</div>`;
}
