/** Shows one customer: what it owes by age, its newest invoices and payments, and what is known of it. */
import { html } from 'hono/html';
import type { Owner } from '../../../base/ids.ts';
import { showMetadata } from '../../../base/metadata.ts';
import { type Balance, balancesOf } from '../../../domain/account-statements/balance.ts';
import {
  maxOfCustomer,
  readCustomerIndexes,
  readOpenInvoices,
} from '../../../domain/account-statements/statement-store.ts';
import { dayIn } from '../../../domain/accounts/fiscal-year.ts';
import type { Customer } from '../../../domain/customers/customer.ts';
import { InvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { customerNameOf, noNames } from '../../../domain/invoices/customer-names.ts';
import { listInvoicePage } from '../../../domain/invoices/invoice-store.ts';
import { customerFilterKey } from '../../../domain/invoices/record.ts';
import { creditLeftOf } from '../../../domain/payments/credit.ts';
import { type FreeCredits, maxCreditsShown, readFreeCredits } from '../../../domain/payments/credit-store.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { listPaymentPage } from '../../../domain/payments/payment-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { formatAddress, formatTaxId } from '../../documents/formats.ts';
import { isolateDirection, type Markup, truncateToBytes } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderInvoiceTable } from '../invoices/invoice-list.ts';
import { moneyTexts } from '../overview/money-texts.ts';
import { invoicesOf, renderPaymentTable } from '../payments/payment-list.ts';
import { listLink } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderEmpty,
  renderIdLink,
  renderText,
} from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderTime } from '../times.ts';
import { findCustomer } from './customer-queries.ts';
import { customerFields, customerTexts } from './customer-texts.ts';
import { customerReminderRow } from './pause-reminders.ts';
import { statementTexts } from './statement-texts.ts';

export const customerDetailPage: DashboardPage = {
  path: '/customers/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const owner = requestOwnerOf(request);
    const id = params.id ?? '';
    const [found, credits] = await Promise.all([
      readCustomerDetail(owner, id, context),
      customerFilterKey(id).then((key) => readFreeCredits(owner, key)),
    ]);
    if (!found) return undefined;
    const { customer, invoices, payments, numbers, open } = found;
    const { timeZone } = context;
    const day = { today: dayIn(timeZone, context.moment.account), timeZone };
    const balances = balancesOf(open.invoices, credits.payments, day).filter(
      (each) => each.outstanding !== 0,
    );
    const names = { ...noNames, customers: new Map([[id, customer]]) };
    const more = (path: string, { pagination }: typeof invoices | typeof payments, text: string) =>
      pagination.hasMore &&
      html`<p><a href="${listLink(context.url(path), { customerId: id })}">${text}</a></p>`;
    return {
      title: truncateToBytes(customerNameOf(customer), 120),
      section: 'customers',
      aside: renderCustomerActions(context, id),
      content: html`<section class="card"><h2>${customerTexts.balance}</h2>${renderBalances(balances)}${open.hasMore && html`<p class="soft">${customerTexts.moreOpen(maxOfCustomer)}</p>`}${renderCredits(context, credits)}<p>${renderButtonLink(context.url(`/customers/${id}/statement`), statementTexts.title)}</p></section>
<section class="card"><h2>${customerTexts.invoices}</h2>${invoices.data.length === 0 ? renderEmpty(customerTexts.noInvoices) : renderInvoiceTable(context, invoices.data, names)}${more('/invoices', invoices, customerTexts.allInvoices(invoices.pagination.total))}</section>
<section class="card"><h2>${customerTexts.payments}</h2>${payments.data.length === 0 ? renderEmpty(customerTexts.noPayments) : renderPaymentTable(context, payments.data, names, numbers)}${more('/payments', payments, customerTexts.allPayments(payments.pagination.total))}</section>
<section class="card"><h2>${customerTexts.details}</h2>${renderCustomer(context, customer)}</section>`,
    };
  },
};

/** Reads what the page shows. Three calls in sequence. Undefined: the customer does not exist. */
async function readCustomerDetail(owner: Owner, id: string, { now }: DashboardContext) {
  const [customer, { principal }, indexes] = await Promise.all([
    findCustomer(owner, id),
    readAccountUsage(owner, now),
    readCustomerIndexes(owner, id),
  ]);
  if (!customer) return undefined;
  const newest = { status: undefined, offset: 0, isReadOnly: true };
  const [invoices, open, payments] = await Promise.all([
    listInvoicePage(principal, indexes.invoices, { ...newest, limit: 20 }),
    readOpenInvoices(principal, indexes.invoices, maxOfCustomer),
    listPaymentPage(principal, indexes.payments, { ...newest, limit: 10 }),
  ]);
  const numbers = new InvoiceNumbers(owner);
  const [named, ofPayments] = await Promise.all([
    numbers.addTo(invoices),
    numbers.of(invoicesOf(payments.data)),
  ]);
  return { customer, invoices: named, payments, numbers: ofPayments, open };
}

function renderBalances(balances: readonly Balance[]): Markup {
  if (balances.length === 0) return html`<p class="soft">${customerTexts.nothingDue}</p>`;
  const ages = Object.keys(moneyTexts.ageNames) as (keyof typeof moneyTexts.ageNames)[];
  const columns = [
    fieldNames.currency,
    moneyTexts.outstanding,
    ...ages.map((age) => moneyTexts.ageNames[age]),
  ];
  const rows = balances.map((balance) => [
    balance.currency,
    html`<strong>${renderAmount(balance.outstanding, balance.currency)}</strong>`,
    ...ages.map((age) => renderAmount(balance.ages[age], balance.currency)),
  ]);
  return renderTable(
    customerTexts.balanceTable,
    columns.map((title, index) => (index === 0 ? { title } : { title, isNumber: true as const })),
    rows,
  );
}

/** Renders what is left of the credit by currency, with the payments that have it. Undefined: none. */
function renderCredits(context: DashboardContext, { payments, hasMore }: FreeCredits): Markup | undefined {
  if (payments.length === 0) return undefined;
  const rows = [...Map.groupBy(payments, ({ currency }) => currency)].map(([currency, sources]) => [
    currency,
    html`<strong>${renderAmount(sumOfCredit(sources), currency)}</strong>`,
    html`${sources.map(({ id }) => html`${renderIdLink(context, '/payments', id)} `)}`,
  ]);
  const columns = [
    { title: fieldNames.currency },
    { title: customerTexts.credit, isNumber: true as const },
    { title: customerTexts.payments },
  ];
  return html`<h3>${customerTexts.credit}</h3><p class="soft">${customerTexts.creditHint}</p>${renderTable(customerTexts.creditTable, columns, rows)}${hasMore && html`<p class="soft">${customerTexts.moreCredits(maxCreditsShown)}</p>`}`;
}

const sumOfCredit = (payments: readonly Payment[]): number =>
  payments.reduce((sum, payment) => sum + creditLeftOf(payment), 0);

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
    row(fieldNames.address, formatAddress(address, 'en').join('\n')),
    row(customerFields.taxIds.label, taxIds.map(formatTaxId).join('\n')),
    customerReminderRow(context, customer),
    ...Object.entries(showMetadata(customer.metadata)).map(
      ([key, text]) => [html`${fieldNames.metadata}: ${isolateDirection(key)}`, renderText(text)] as const,
    ),
    [fieldNames.created, renderTime(context, customer.createdAt)],
    [fieldNames.changed, renderTime(context, customer.updatedAt)],
  ]);
}
