/**
 * Serves lists as CSV files for spreadsheets: all records that the filters of the page show. Writes nothing.
 *
 * - The index of a list is read once, so the rows of a file are fixed at its start: none is missing and none is there twice.
 * - Times have the clock and the offset of the account's time zone.
 */
import { html } from 'hono/html';
import type * as v from 'valibot';
import { toCsv } from '../../../base/csv.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { dayIn, timestampIn } from '../../../domain/accounts/fiscal-year.ts';
import { listCustomersQuery } from '../../../domain/customers/customer.ts';
import { listInvoicesQuery } from '../../../domain/invoices/invoice.ts';
import { listPaymentsQuery } from '../../../domain/payments/payment.ts';
import { listRefundsQuery } from '../../../domain/refunds/refund.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import { customerFilterNames, readCustomers } from '../customers/customer-queries.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { readNumberedInvoices } from '../invoices/invoice-queries.ts';
import { readPayments, readRefunds } from '../payments/payment-queries.ts';
import { commonFilterNames } from '../records/common-filters.ts';
import { type OfCustomer, readCustomerNames, recordCustomerName } from '../records/customer-names.ts';
import { parseListQuery } from '../records/list-query.ts';
import { renderButtonLink } from '../records/record-elements.ts';
import { downloadTexts } from './download-texts.ts';

/** The most rows of a file. They fit into the memory and the answer of a function. */
const maxDownloadRows = 5000;

interface ReadList {
  readonly data: readonly object[];
  readonly pagination: { readonly total: number };
}

interface Download<Schema extends v.GenericSchema> {
  readonly schema: Schema;
  /** The filters of the page of the list. */
  readonly filters: readonly string[];
  readonly read: (owner: Owner, query: v.InferOutput<Schema>, now: Instant) => Promise<ReadList>;
}

export const downloadPages: readonly DashboardPage[] = [
  downloadPage('invoices', {
    schema: listInvoicesQuery,
    filters: [...commonFilterNames, 'customerId', 'reference', 'paymentReference'],
    read: async (owner, query, now) => withNames(owner, await readNumberedInvoices(owner, query, now)),
  }),
  downloadPage('payments', {
    schema: listPaymentsQuery,
    filters: [...commonFilterNames, 'invoiceId', 'customerId'],
    read: async (owner, query, now) => withNames(owner, await readPayments(owner, query, now)),
  }),
  downloadPage('refunds', {
    schema: listRefundsQuery,
    filters: [...commonFilterNames, 'paymentId', 'invoiceId'],
    read: readRefunds,
  }),
  downloadPage('customers', {
    schema: listCustomersQuery,
    filters: customerFilterNames,
    read: readCustomers,
  }),
];

/** Returns a list with the names of its customers. */
async function withNames<List extends { readonly data: readonly OfCustomer[] }>(owner: Owner, list: List) {
  const parts = Array.from({ length: Math.ceil(list.data.length / 100) }, async (_, part) => {
    const rows = list.data.slice(part * 100, (part + 1) * 100);
    const names = await readCustomerNames(owner, rows);
    return rows.map((row) => ({ ...row, customerName: recordCustomerName(names, row) }));
  });
  return { ...list, data: (await Promise.all(parts)).flat() };
}

/** Returns the page of a list as a file. @param name of the list, and of the path of its page */
function downloadPage<Schema extends v.GenericSchema>(
  name: string,
  { schema, filters, read }: Download<Schema>,
): DashboardPage {
  return {
    path: `/downloads/${name}.csv`,
    ability: 'records:export',
    handle: async (request) => {
      const { context } = request;
      const refuse = (message: string): DashboardView => ({
        title: downloadTexts.title,
        status: 400,
        content: html`<section class="card"><p>${message}</p><p>${renderButtonLink(context.url(`/${name}`), downloadTexts.back)}</p></section>`,
      });
      const { query, errors } = parseListQuery(schema, request, filters);
      const [error] = Object.values(errors);
      if (error !== undefined) return refuse(error);
      const whole = { ...(query as object), offset: 0, limit: maxDownloadRows } as v.InferOutput<Schema>;
      const { data, pagination } = await read(requestOwnerOf(request), whole, context.now);
      if (pagination.total > maxDownloadRows) return refuse(downloadTexts.tooMany(pagination.total));
      if (data.length === 0) return refuse(downloadTexts.empty);
      const { timeZone } = context;
      const textOf = (text: string, column: string) => (isTime(column) ? timeIn(timeZone, text) : text);
      const day = dayIn(timeZone, context.moment.account);
      const text = await toCsv(data, { bom: true, textOf });
      return { file: { name: `${name}-${context.mode}-${day}.csv`, text } };
    },
  };
}

const isTime = (column: string): boolean => /(^|\.)(\w+At|dueDate)$/.test(column);

/** A date without a time of day stays as it is. */
const timeIn = (timeZone: string, text: string): string =>
  /^\d{4}-\d\d-\d\dT.*Z$/.test(text) ? timestampIn(timeZone, Date.parse(text)) : text;
