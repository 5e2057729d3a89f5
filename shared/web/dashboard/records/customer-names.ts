/** Shows the names of customers where records have only the ID of one. */
import { html } from 'hono/html';
import {
  type CustomerNames,
  type OfCustomer,
  recordCustomerName,
} from '../../../domain/invoices/customer-names.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { renderLine } from './record-elements.ts';

/** Renders the customer of a record by name, with a link if the customer has a page. The title has the ID. */
export function renderCustomerName(
  { url }: Pick<DashboardContext, 'url'>,
  names: CustomerNames,
  record: OfCustomer,
): Markup {
  const { customerId } = record;
  const name = recordCustomerName(names, record);
  if (names.customers.get(customerId)?.status === 'active')
    return html`<a href="${url(`/customers/${customerId}`)}" title="${customerId}">${renderLine(name)}</a>`;
  return name === customerId
    ? renderLine(name)
    : html`<span title="${customerId}">${renderLine(name)}</span>`;
}
