/** Shows the list of invoices. */
import { html } from 'hono/html';
import { statuses } from '../../../base/statuses.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { listInvoicesQuery, type ShownInvoice } from '../../../domain/invoices/invoice.ts';
import { formatPaymentReference } from '../../../domain/invoices/payment-reference.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { commonFilterNames, commonFilters } from '../records/common-filters.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { fileLinksOf, ofSelected } from '../records/file-links.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderInvoiceStatus,
  renderLine,
  renderShortIdLink,
} from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortDueDate, renderShortTime } from '../times.ts';
import { draftTexts } from './draft-texts.ts';
import { readNumberedInvoices } from './invoice-queries.ts';
import { invoiceTexts } from './invoice-texts.ts';
import { selectedTexts } from './selected-texts.ts';

export const invoiceListPage: DashboardPage = {
  path: '/invoices',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, order, errors } = parseListQuery(listInvoicesQuery, request, [
      ...commonFilterNames,
      'customerId',
      'reference',
      'paymentReference',
      'offset',
    ]);
    const owner = requestOwnerOf(request);
    const { data, pagination } = await readNumberedInvoices(owner, { ...query, order }, context.now);
    const names = await readCustomerNames(owner, data);
    const { paymentReference } = query;
    const sentValue = (name: string) => typedValue(request.query, name);
    const { status, ...others } = commonFilters(request.query, statuses.invoice);
    const isSelectable = context.can('invoices:write') || context.can('records:export');
    return {
      title: invoiceTexts.title,
      section: 'invoices',
      aside: renderListActions(context),
      content: renderList({
        link: context.url('/invoices'),
        filters: {
          status,
          customerId: { label: fieldNames.customer, value: sentValue('customerId') },
          reference: { label: fieldNames.ownReference, value: sentValue('reference') },
          paymentReference: {
            label: fieldNames.paymentReference,
            value: paymentReference
              ? formatPaymentReference(paymentReference)
              : sentValue('paymentReference'),
          },
          ...others,
        },
        errors,
        files: fileLinksOf(context, 'invoices'),
        ...offsetPartOf(
          data,
          pagination,
          renderSelectable(context, renderInvoiceTable(context, data, names, { isSelectable, order })),
          order,
        ),
        empty: `${invoiceTexts.empty} ${invoiceTexts.emptyHint}`,
        noMatch: invoiceTexts.noMatch,
      }),
    };
  },
};

/** Renders the list in a form that opens the page of the selected invoices, or saves them as a file. */
function renderSelectable({ can, url }: DashboardContext, table: Markup): Markup {
  const buttons = [
    can('invoices:write') && html`<button class="plain">${selectedTexts.open}</button>`,
    can('records:export') &&
      html`<button class="plain" name="${ofSelected.name}" value="${ofSelected.value}" formaction="${url('/downloads/invoices.csv')}">${selectedTexts.download}</button>`,
  ].filter((button) => button !== false);
  if (buttons.length === 0) return table;
  return html`<form method="get" action="${url('/invoices/selected')}">${table}<p class="buttons">${buttons}</p></form>`;
}

/**
 * Renders invoices as a table. One with a number is shown by it.
 * @param names those of their customers
 * @param options `isSelectable`: each invoice can be selected for a form around the table
 */
export function renderInvoiceTable(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  invoices: readonly ShownInvoice[],
  names: CustomerNames,
  { isSelectable = false, order = 'newest' }: { isSelectable?: boolean; order?: ListOrder } = {},
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
    isSelectable
      ? html`<span>${renderPick(invoice)}${renderInvoiceLink(context, invoice)}</span>`
      : renderInvoiceLink(context, invoice),
    renderAmount(invoice.amount, invoice.currency),
    renderInvoiceStatus(invoice),
    renderCustomerName(context, names, invoice),
    renderLine(invoice.description),
    renderShortDueDate(context, invoice.dueDate),
    renderShortTime(context, Date.parse(invoice.createdAt)),
  ]);
  return renderTable(invoiceTexts.table[order], columns, rows);
}

const renderPick = ({ id, number }: ShownInvoice): Markup =>
  html`<input type="checkbox" name="id" value="${id}" aria-label="${selectedTexts.select(number ?? id)}"> `;

/** Renders the number of an invoice, or else its ID, as a link to its page. */
export function renderInvoiceLink(
  context: Pick<DashboardContext, 'url'>,
  { id, number }: Pick<ShownInvoice, 'id' | 'number'>,
): Markup {
  if (number == null) return renderShortIdLink(context, '/invoices', id);
  return html`<a href="${context.url(`/invoices/${id}`)}" title="${id}">${renderLine(number)}</a>`;
}

function renderListActions({ can, url }: DashboardContext): Markup {
  return html`<div class="buttons">${renderButtonLink(url('/drafts'), draftTexts.title)}${renderButtonLink(url('/schedules'), invoiceTexts.schedules)}${can('invoices:write') ? renderButtonLink(url('/invoices/new'), invoiceTexts.create, '') : ''}</div>`;
}
