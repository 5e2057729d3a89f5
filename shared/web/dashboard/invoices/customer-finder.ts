/**
 * The search for the customer in the forms of invoices. It needs no script: a button sends the form, which is shown again with the
 * customers that were found, and another button puts one of them into the field. Neither saves anything.
 */
import { html } from 'hono/html';
import { isEmail } from '../../../base/email.ts';
import type { ShownCustomer } from '../../../domain/customers/customer.ts';
import { findCustomers, listCustomerPage } from '../../../domain/customers/customer-list-store.ts';
import { customerNameOf } from '../../../domain/invoices/customer-names.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { searchedWordsOf } from '../../../store/search/name-words.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderLine } from '../records/record-elements.ts';
import type { InvoiceChoices } from './invoice-choices.ts';
import { invoiceTexts } from './invoice-texts.ts';
import { stepName } from './line-fields.ts';

/** How many customers are shown. */
const maxFound = 10;

/** The customers that a search has found. */
export interface FoundCustomers {
  readonly customers: readonly ShownCustomer[];
  readonly hasMore: boolean;
}

/** What a form offers, and what its search has found. Undefined: the user has not searched. */
export type OfferedChoices = InvoiceChoices & { readonly found?: FoundCustomers | undefined };

/** Searches the customers by the text in the field, if the user asked for it. Two calls in sequence. */
export async function readFoundCustomers(
  context: DashboardContext,
  fields: URLSearchParams | undefined,
): Promise<FoundCustomers | undefined> {
  if (fields?.get(stepName) !== 'find') return undefined;
  const text = fields.get('customerId')?.trim() ?? '';
  const owner = requestOwnerOf({ context });
  const usage = readAccountUsage(owner, context.now);
  const filters = [
    ...(isEmail(text) ? [{ email: text }] : []),
    ...(!isEmail(text) && searchedWordsOf(text).length > 0 ? [{ name: text }] : []),
    ...(text === '' ? [] : [{ reference: text }]),
  ];
  const pages = await Promise.all(
    filters.map(async (filter) => {
      const [source, { principal }] = await Promise.all([findCustomers(owner, filter), usage]);
      return listCustomerPage(principal, source, { ...filter, offset: 0, limit: maxFound, isReadOnly: true });
    }),
  );
  const all = new Map(pages.flatMap(({ data }) => data.map((customer) => [customer.id, customer])));
  return {
    customers: [...all.values()].slice(0, maxFound),
    hasMore: all.size > maxFound || pages.some(({ pagination }) => pagination.hasMore),
  };
}

/** Renders the button that searches, and what was found. */
export function renderFinder(found: FoundCustomers | undefined): Markup {
  const find = html`<p class="buttons"><button name="${stepName}" value="find" class="plain small">${invoiceTexts.findCustomer}</button><span class="hint">${invoiceTexts.findHint}</span></p>`;
  if (!found) return find;
  if (found.customers.length === 0) return html`${find}<p role="status">${invoiceTexts.noneFound}</p>`;
  const rows = found.customers.map((customer) => {
    const name = customerNameOf(customer);
    const more = [customer.email, customer.reference].filter((text) => text !== null && text !== name);
    return html`<li><button name="${stepName}" value="${`pick:${customer.id}`}" class="link" aria-label="${invoiceTexts.pickCustomer(name)}">${renderLine(name)}</button> <span class="soft">${renderLine(more.join(' · '))}</span></li>`;
  });
  return html`${find}<div role="status"><p>${invoiceTexts.found}</p><ul>${rows}</ul>${found.hasMore && html`<p class="hint">${invoiceTexts.moreFound}</p>`}</div>`;
}
