/** Shows the lists of payments and refunds. */
import { html } from 'hono/html';
import { statuses } from '../../../base/statuses.ts';
import { readInvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import type { ShownPayment } from '../../../domain/payments/payment.ts';
import { brandNameOf } from '../../../domain/payments/provider/card-brands.ts';
import { listRefundsQuery, type ShownRefund } from '../../../domain/refunds/refund.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderInvoiceLink } from '../invoices/invoice-list.ts';
import { commonFilterNames, commonFilters } from '../records/common-filters.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { fileLinksOf } from '../records/file-links.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderLine,
  renderShortIdLink,
  renderStatus,
} from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames, methodTexts, textFor } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { parseWithInvoice } from './invoice-filter.ts';
import { invoiceFilterOf, paymentFilters, readFilteredPayments } from './payment-filters.ts';
import { readRefunds } from './payment-queries.ts';
import { paymentTexts } from './payment-texts.ts';

export const paymentListPage: DashboardPage = {
  path: '/payments',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const owner = requestOwnerOf(request);
    const { list, order, errors } = await readFilteredPayments(request);
    const { data, pagination } = list;
    const [names, numbers] = await Promise.all([
      readCustomerNames(owner, data),
      readInvoiceNumbers(owner, invoicesOf(data)),
    ]);
    return {
      title: paymentTexts.title,
      section: 'payments',
      aside: renderButtonLink(context.url('/refunds'), paymentTexts.refunds),
      content: renderList({
        link: context.url('/payments'),
        filters: paymentFilters(request.query),
        errors,
        files: fileLinksOf(context, 'payments'),
        ...offsetPartOf(data, pagination, renderPaymentTable(context, data, names, numbers, order), order),
        empty: paymentTexts.empty,
        noMatch: paymentTexts.noMatch,
      }),
    };
  },
};

export const refundListPage: DashboardPage = {
  path: '/refunds',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const names = [...commonFilterNames, 'paymentId', 'invoiceId', 'offset'];
    const { query, order, errors } = await parseWithInvoice(request, (sent) =>
      parseListQuery(listRefundsQuery, sent, names),
    );
    const { data, pagination } = await readRefunds(requestOwnerOf(request), { ...query, order }, context.now);
    const { status, ...others } = commonFilters(request.query, statuses.refund);
    return {
      title: paymentTexts.refunds,
      section: 'payments',
      aside: renderButtonLink(context.url('/payments'), paymentTexts.title),
      content: renderList({
        link: context.url('/refunds'),
        filters: {
          status,
          paymentId: { label: fieldNames.payment, value: typedValue(request.query, 'paymentId') },
          invoiceId: invoiceFilterOf(request.query),
          ...others,
        },
        errors,
        files: fileLinksOf(context, 'refunds'),
        ...offsetPartOf(data, pagination, renderRefundTable(context, data, order), order),
        empty: paymentTexts.noRefunds,
        noMatch: paymentTexts.noRefundMatch,
      }),
    };
  },
};

/** Returns the ids of the invoices of payments, each once. */
export const invoicesOf = (payments: readonly ShownPayment[]): readonly string[] => [
  ...new Set(payments.map(({ invoiceId }) => invoiceId)),
];

/**
 * Renders payments as a table.
 * @param names those of their customers
 * @param numbers those of their invoices, by the ids of the invoices
 */
export function renderPaymentTable(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  payments: readonly ShownPayment[],
  names: CustomerNames,
  numbers: ReadonlyMap<string, string>,
  order: ListOrder = 'newest',
): Markup {
  const columns = [
    { title: fieldNames.payment },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.status },
    { title: fieldNames.invoice },
    { title: fieldNames.customer },
    { title: fieldNames.method },
    { title: fieldNames.reference },
    { title: fieldNames.created },
  ];
  const rows = payments.map((payment) => [
    renderShortIdLink(context, '/payments', payment.id),
    renderAmount(payment.amount, payment.currency),
    renderPaymentStatus(payment),
    renderInvoiceLink(context, { id: payment.invoiceId, number: numbers.get(payment.invoiceId) ?? null }),
    renderCustomerName(context, names, payment),
    renderMethod(payment),
    renderLine(payment.reference ?? '', 40),
    renderShortTime(context, Date.parse(payment.createdAt)),
  ]);
  return renderTable(paymentTexts.table[order], columns, rows);
}

/** Renders refunds as a table. */
export function renderRefundTable(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  refunds: readonly ShownRefund[],
  order: ListOrder = 'newest',
): Markup {
  const columns = [
    { title: fieldNames.id },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.status },
    { title: fieldNames.payment },
    { title: fieldNames.reason },
    { title: fieldNames.created },
  ];
  const rows = refunds.map((refund) => [
    html`<span class="id" title="${refund.id}">${refund.id.slice(0, 12)}…</span>`,
    renderAmount(refund.amount, refund.currency),
    renderStatus(refund.status),
    renderShortIdLink(context, '/payments', refund.paymentId),
    refund.source === 'provider' ? paymentTexts.madeAtProvider : renderLine(refund.reason ?? '', 150),
    renderShortTime(context, Date.parse(refund.createdAt)),
  ]);
  return renderTable(paymentTexts.refundsTable[order], columns, rows);
}

/** Renders the status of a payment. One that does not count shows that in place of its status. */
export const renderPaymentStatus = ({ status, voidedAt }: { status: string; voidedAt?: unknown }): Markup =>
  renderStatus(voidedAt == null ? status : 'voided');

/** Renders how a payment was made: the card's brand and last digits, or the method. */
export function renderMethod({ method, card }: Pick<ShownPayment, 'method' | 'card'>): string {
  return card ? `${brandNameOf(card.brand)} •••• ${card.last4}` : textFor(methodTexts, method);
}
