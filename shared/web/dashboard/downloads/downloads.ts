/**
 * Serves lists as CSV files for spreadsheets: all records that the filters of the page show, or those that the user selected. Writes
 * nothing.
 *
 * - The index of a list is read once, so the rows of a file are fixed at its start: none is missing and none is there twice.
 * - A file has the columns of an export of the same kind.
 */
import { html } from 'hono/html';
import { ApiError } from '../../../base/errors.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { dayIn } from '../../../domain/accounts/fiscal-year.ts';
import { listCustomersQuery } from '../../../domain/customers/customer.ts';
import { rowsToCsv } from '../../../domain/exports/columns.ts';
import { toInvoiceRows, withCustomerNames } from '../../../domain/exports/rows.ts';
import { listInvoicesQuery } from '../../../domain/invoices/invoice.ts';
import { invoiceType } from '../../../domain/invoices/record.ts';
import { listRefundsQuery } from '../../../domain/refunds/refund.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import { customerFilterNames, readCustomers } from '../customers/customer-queries.ts';
import type { DashboardPage, DashboardRequest, DashboardView } from '../definitions.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { readNumberedInvoices, readSelectedInvoices } from '../invoices/invoice-queries.ts';
import { parseWithInvoice } from '../payments/invoice-filter.ts';
import { parsePaymentQuery, paymentFilters } from '../payments/payment-filters.ts';
import { readPayments, readRefunds } from '../payments/payment-queries.ts';
import { commonFilterNames } from '../records/common-filters.ts';
import { type ListedKind, ofSelected } from '../records/file-links.ts';
import { inPageWords, type ParsedQuery, parseListQuery } from '../records/list-query.ts';
import { renderButtonLink } from '../records/record-elements.ts';
import { downloadTexts } from './download-texts.ts';

/** The most rows of a file. They fit into the memory and the answer of a function. */
const maxDownloadRows = 5000;
/** One call reads as many records. A page of a list has fewer. */
const maxSelectedRows = 100;

interface ReadList {
  readonly data: readonly object[];
  readonly pagination: { readonly total: number };
}

interface Download<Query extends object> {
  /** Parses the filters of the page of the list. */
  readonly parse: (request: DashboardRequest) => ParsedQuery<Query> | Promise<ParsedQuery<Query>>;
  readonly read: (owner: Owner, query: Query, now: Instant) => Promise<ReadList>;
  /** Reads the rows of selected records. Undefined: the list has no boxes. */
  readonly readSelected?: (owner: Owner, ids: readonly string[]) => Promise<readonly object[]>;
}

export const downloadPages: readonly DashboardPage[] = [
  downloadPage('invoices', {
    parse: (request) =>
      parseListQuery(listInvoicesQuery, request, [
        ...commonFilterNames,
        ...['customerId', 'reference', 'paymentReference'],
      ]),
    read: async (owner, query, now) => {
      const list = await readNumberedInvoices(owner, query, now);
      return { ...list, data: await toInvoiceRows(owner, list.data) };
    },
    readSelected: async (owner, ids) =>
      toInvoiceRows(owner, await readSelectedInvoices(owner, ids.filter(invoiceType.isId))),
  }),
  downloadPage('payments', {
    parse: (request) => parseWithInvoice(request, parsePaymentQuery),
    read: async (owner, query, now) => {
      const list = await readPayments(owner, query, now);
      return { ...list, data: await withCustomerNames(owner, list.data) };
    },
  }),
  downloadPage('refunds', {
    parse: (request) =>
      parseWithInvoice(request, (sent) =>
        parseListQuery(listRefundsQuery, sent, [...commonFilterNames, 'paymentId', 'invoiceId']),
      ),
    read: readRefunds,
  }),
  downloadPage('customers', {
    parse: (request) => parseListQuery(listCustomersQuery, request, customerFilterNames),
    read: readCustomers,
  }),
];

/** Returns the page of a list as a file. @param name of the list, and of the path of its page */
function downloadPage<Query extends object>(
  name: ListedKind,
  { parse, read, readSelected }: Download<Query>,
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
      const owner = requestOwnerOf(request);
      // The list of payments has the filters of all lists but own texts, whose names are one word.
      const labels = paymentFilters(request.query);
      const inWords = (errors: FieldErrors) => Object.values(inPageWords(errors, labels));
      const readFiltered = async () => {
        const { query, errors } = await parse(request);
        const [error] = inWords(errors);
        if (error !== undefined) return error;
        const whole = { ...query, offset: 0, limit: maxDownloadRows };
        try {
          const { data, pagination } = await read(owner, whole, context.now);
          return pagination.total > maxDownloadRows ? downloadTexts.tooMany(pagination.total) : data;
        } catch (refused) {
          if (refused instanceof ApiError && refused.field !== undefined)
            return inWords({ [refused.field]: refused.message })[0] ?? refused.message;
          throw refused;
        }
      };
      const ids = [...new Set(request.query.getAll('id'))];
      const isOfSelected = request.query.get(ofSelected.name) === ofSelected.value;
      if (isOfSelected && ids.length > maxSelectedRows) return refuse(downloadTexts.tooManySelected);
      const data = await (isOfSelected && readSelected ? readSelected(owner, ids) : readFiltered());
      if (typeof data === 'string') return refuse(data);
      if (data.length === 0) return refuse(isOfSelected ? downloadTexts.noneSelected : downloadTexts.empty);
      const { timeZone } = context;
      const day = dayIn(timeZone, context.moment.account);
      const text = await rowsToCsv(name, data, { bom: true, timeZone });
      return { file: { name: `${name}-${context.mode}-${day}.csv`, text } };
    },
  };
}
