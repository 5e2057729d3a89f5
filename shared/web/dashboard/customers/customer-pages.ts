import { type Customer, listCustomersQuery, type ShownCustomer } from '../../../domain/customers/customer.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { rangeFilters } from '../records/common-filters.ts';
import { fileLinksOf } from '../records/file-links.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import { renderButtonLink, renderLine, renderShortIdLink } from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { customerDetailPage } from './customer-detail.ts';
import { customerFilterNames, findCustomer, readCustomers } from './customer-queries.ts';
import { customerFields, customerTexts } from './customer-texts.ts';
import { showCustomerDeleteForm, showCustomerEditForm, showNewCustomerForm } from './customer-views.ts';
import { statementPage } from './statement-page.ts';

const list: DashboardPage = {
  path: '/customers',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, order, errors } = parseListQuery(listCustomersQuery, request, [
      ...customerFilterNames,
      'offset',
    ]);
    const { data, pagination } = await readCustomers(
      requestOwnerOf(request),
      { ...query, order },
      context.now,
    );
    return {
      title: customerTexts.title,
      section: 'customers',
      aside: context.can('customers:write')
        ? renderButtonLink(context.url('/customers/new'), customerTexts.create, '')
        : undefined,
      content: renderList({
        link: context.url('/customers'),
        filters: {
          name: { label: customerTexts.partOfName, value: typedValue(request.query, 'name') },
          email: { label: customerFields.email.label, value: typedValue(request.query, 'email') },
          reference: { label: customerFields.reference.label, value: typedValue(request.query, 'reference') },
          ...rangeFilters(request.query),
        },
        files: fileLinksOf(context, 'customers'),
        errors,
        ...offsetPartOf(data, pagination, renderCustomerTable(context, data, order), order),
        empty: customerTexts.empty,
        noMatch: customerTexts.noMatch,
      }),
    };
  },
};

function renderCustomerTable(
  context: DashboardContext,
  customers: readonly ShownCustomer[],
  order: ListOrder,
): Markup {
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
    customerTexts.table[order],
    titles.map((title) => ({ title })),
    rows,
  );
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
  statementPage,
  customerDetailPage,
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
