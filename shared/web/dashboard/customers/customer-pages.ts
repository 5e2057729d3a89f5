/** Serves the pages of customers: the list, one customer with its invoices, and the forms. Writes nothing. */
import { html } from 'hono/html';
import type { Owner } from '../../../base/ids.ts';
import { showMetadata } from '../../../base/metadata.ts';
import { type Customer, listCustomersQuery, type ShownCustomer } from '../../../domain/customers/customer.ts';
import { readCustomer } from '../../../domain/customers/customer-store.ts';
import { customerType } from '../../../domain/customers/record.ts';
import { listInvoicePage, readInvoiceIndex } from '../../../domain/invoices/invoice-store.ts';
import type { Address } from '../../../domain/parties/party.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { isolateDirection, type Markup, truncateToBytes } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderInvoiceTable } from '../invoices/invoice-list.ts';
import { rangeFilters } from '../records/common-filters.ts';
import { customerNameOf, noNames } from '../records/customer-names.ts';
import { downloadLink } from '../records/download-link.ts';
import { listLink, parseListQuery } from '../records/list-query.ts';
import {
  renderButtonLink,
  renderEmpty,
  renderLine,
  renderShortIdLink,
  renderText,
} from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime, renderTime } from '../times.ts';
import { customerFilterNames, readCustomers } from './customer-queries.ts';
import { customerFields, customerTexts } from './customer-texts.ts';
import { showCustomerDeleteForm, showCustomerEditForm, showNewCustomerForm } from './customer-views.ts';
import { customerReminderRow } from './pause-reminders.ts';

const list: DashboardPage = {
  path: '/customers',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listCustomersQuery, request, [...customerFilterNames, 'offset']);
    const { data, pagination } = await readCustomers(requestOwnerOf(request), query, context.now);
    return {
      title: customerTexts.title,
      section: 'customers',
      aside: context.can('customers:write')
        ? renderButtonLink(context.url('/customers/new'), customerTexts.create, '')
        : undefined,
      content: renderList({
        link: context.url('/customers'),
        filters: {
          name: { label: customerTexts.partOfName, value: query.name },
          email: { label: customerFields.email.label, value: query.email },
          reference: { label: customerFields.reference.label, value: query.reference },
          ...rangeFilters(request.query),
        },
        download: downloadLink(context, '/downloads/customers.csv'),
        errors,
        ...offsetPartOf(data, pagination, renderCustomerTable(context, data)),
        empty: customerTexts.empty,
        noMatch: customerTexts.noMatch,
      }),
    };
  },
};

function renderCustomerTable(context: DashboardContext, customers: readonly ShownCustomer[]): Markup {
  const { name, email, reference } = customerFields;
  const titles = [customerTexts.one, name.label, email.label, reference.label, fieldNames.created];
  const rows = customers.map((customer) => [
    renderShortIdLink(context, '/customers', customer.id),
    renderLine(customer.name ?? ''),
    renderLine(customer.email ?? ''),
    renderLine(customer.reference ?? ''),
    renderShortTime(context, Date.parse(customer.createdAt)),
  ]);
  return renderTable(
    customerTexts.table,
    titles.map((title) => ({ title })),
    rows,
  );
}

const detail: DashboardPage = {
  path: '/customers/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const owner = requestOwnerOf(request);
    const id = params.id ?? '';
    const [customer, { principal }, view] = await Promise.all([
      findCustomer(owner, id),
      readAccountUsage(owner, context.now),
      readInvoiceIndex(owner, { customerId: id }),
    ]);
    if (!customer) return undefined;
    const newest = { status: undefined, offset: 0, limit: 20, isReadOnly: true };
    const { data, pagination } = await listInvoicePage(principal, view, newest);
    const all = listLink(context.url('/invoices'), { customerId: id });
    const invoices =
      data.length === 0
        ? renderEmpty(customerTexts.noInvoices)
        : html`${renderInvoiceTable(context, data, { ...noNames, customers: new Map([[id, customer]]) })}${pagination.hasMore && html`<p><a href="${all}">${customerTexts.allInvoices(pagination.total)}</a></p>`}`;
    return {
      title: truncateToBytes(customerNameOf(customer), 120),
      section: 'customers',
      aside: renderCustomerActions(context, id),
      content: html`<section class="card">${renderCustomer(context, customer)}</section>
<section class="card"><h2>${customerTexts.invoices}</h2>${invoices}</section>`,
    };
  },
};

function renderCustomerActions({ can, url }: DashboardContext, id: string): Markup | undefined {
  const newInvoice = listLink(url('/invoices/new'), { customerId: id });
  const forms = html`${renderButtonLink(url(`/customers/${id}/edit`), customerTexts.edit)}${renderButtonLink(url(`/customers/${id}/delete`), customerTexts.delete)}`;
  const isEmpty = !can('invoices:write') && !can('customers:write');
  if (isEmpty) return undefined;
  return html`<div class="buttons">${can('invoices:write') && renderButtonLink(newInvoice, customerTexts.createInvoice)}${can('customers:write') && forms}</div>`;
}

function renderCustomer(context: DashboardContext, customer: Customer): Markup {
  const { name, email, phone, reference, address, taxIds } = customer;
  const row = (title: string, text: string | null) =>
    text === null || text === '' ? undefined : ([title, renderText(text)] as const);
  return renderDefinitions([
    [fieldNames.id, renderId(customer.id)],
    row(customerFields.name.label, name),
    row(customerFields.email.label, email),
    row(customerFields.phone.label, phone),
    row(customerFields.reference.label, reference),
    row(fieldNames.address, address && linesOfAddress(address)),
    row(customerFields.taxIds.label, taxIds.map(({ type, value }) => `${type}: ${value}`).join('\n')),
    customerReminderRow(context, customer),
    ...Object.entries(showMetadata(customer.metadata)).map(
      ([key, text]) => [html`${fieldNames.metadata}: ${isolateDirection(key)}`, renderText(text)] as const,
    ),
    [fieldNames.created, renderTime(context, customer.createdAt)],
    [fieldNames.changed, renderTime(context, customer.updatedAt)],
  ]);
}

function linesOfAddress({ line1, line2, city, state, postalCode, country }: Address): string {
  const place = [postalCode, city].filter(Boolean).join(' ');
  return [line1, line2, place, state, country].filter(Boolean).join('\n');
}

const newCustomer: DashboardPage = {
  path: '/customers/new',
  ability: 'customers:write',
  handle: async ({ context }) => showNewCustomerForm(context),
};

/** Before the page of one customer, because `new` is not an id. */
export const customerPages: readonly DashboardPage[] = [
  list,
  newCustomer,
  formPage('/customers/:id/edit', showCustomerEditForm),
  formPage('/customers/:id/delete', showCustomerDeleteForm),
  detail,
];

function formPage(
  path: string,
  show: (context: DashboardContext, customer: Customer) => DashboardView,
): DashboardPage {
  return {
    path,
    ability: 'customers:write',
    handle: async (request) => {
      const customer = await findCustomer(requestOwnerOf(request), request.params.id ?? '');
      return customer && show(request.context, customer);
    },
  };
}

/** Reads a customer. Returns undefined if it does not exist, or is deleted. */
async function findCustomer(owner: Owner, id: string): Promise<Customer | undefined> {
  if (!customerType.isId(id)) return undefined;
  const { record } = await readCustomer(owner, id);
  return record?.status === 'active' ? record : undefined;
}
