/** Shows a payment with its refunds, and the form that refunds it. */
import { html } from 'hono/html';
import { type Currency, currencies, formatAmount, toMajorUnits } from '../../../base/money.ts';
import { isHeld } from '../../../domain/payments/checkouts/resolve-payment.ts';
import {
  amountCreditedOf,
  type Payment,
  type PaymentDispute,
  type PaymentFees,
  showPayment,
} from '../../../domain/payments/payment.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { isUndecided } from '../../../domain/payments/provider/hosted-provider.ts';
import { refundable } from '../../../domain/payments/transitions.ts';
import { mayBeVoidable } from '../../../domain/payments/void-payment.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId } from '../elements.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { listLink } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderFailure,
  renderIdLink,
  renderText,
} from '../records/record-elements.ts';
import { fieldNames, textFor } from '../records/record-texts.ts';
import { renderTime, type ZoneContext } from '../times.ts';
import { renderMethod, renderPaymentStatus, renderRefundTable } from './payment-list.ts';
import { readPaymentDetail } from './payment-queries.ts';
import { paymentTexts, refundFields } from './payment-texts.ts';

export const paymentPage: DashboardPage = {
  path: '/payments/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const detail = await readPaymentDetail(requestOwnerOf(request), params.id ?? '', context.now);
    if (!detail) return undefined;
    const { payment, names, refunds, totalRefunds } = detail;
    const { failureMessage, pendingReason } = showPayment(payment);
    const { dispute } = payment;
    const all = listLink(context.url('/refunds'), { paymentId: payment.id });
    return {
      title: paymentTexts.one,
      section: 'payments',
      aside: renderButtons(context, payment),
      content: html`<section class="card">${renderPaymentSummary(context, payment)}
${renderDefinitions([
  [fieldNames.id, renderId(payment.id)],
  [fieldNames.customer, renderCustomerName(context, names, payment)],
  [fieldNames.method, renderMethod(payment)],
  payment.reference === null ? undefined : [fieldNames.reference, renderText(payment.reference)],
  payment.receivedOn === undefined ? undefined : [fieldNames.receivedOn, payment.receivedOn],
  payment.bank === undefined ? undefined : [fieldNames.bank, renderText(payment.bank)],
  payment.note === undefined ? undefined : [fieldNames.note, renderText(payment.note)],
  payment.voidedAt === undefined ? undefined : [fieldNames.voidedAt, renderTime(context, payment.voidedAt)],
  payment.voidReason === undefined ? undefined : [fieldNames.voidReason, renderText(payment.voidReason)],
  pendingReason === null
    ? undefined
    : [paymentTexts.pending, textFor(paymentTexts.pendingReasons, pendingReason)],
  failureMessage === null ? undefined : [fieldNames.failure, failureMessage],
  payment.fees && [paymentTexts.fee, renderFee(payment.fees)],
  payment.fees && [paymentTexts.net, renderSettled(payment.fees.net, payment.fees.currency)],
  dispute && [paymentTexts.dispute, renderDispute(context, dispute, payment.currency)],
  [fieldNames.created, renderTime(context, payment.createdAt)],
  [fieldNames.changed, renderTime(context, payment.updatedAt)],
])}</section>
${renderResolution(context, payment)}<section class="card"><h2>${paymentTexts.refunds}</h2>${refunds.length === 0 ? html`<p class="soft">${paymentTexts.noRefundsOfPayment}</p>` : renderRefundTable(context, refunds)}
${totalRefunds > refunds.length ? html`<p><a href="${all}">${paymentTexts.moreRefunds(totalRefunds)}</a></p>` : ''}</section>`,
    };
  },
};

export const refundFormPage: DashboardPage = {
  path: '/payments/:id/refund',
  ability: 'refunds:create',
  handle: async (request) => {
    const { record: payment } = await readPayment(requestOwnerOf(request), request.params.id ?? '');
    return payment && showRefundForm(request.context, payment);
  },
};

/** Shows the form that refunds a payment. Without a failure, it asks for all that is left. */
export function showRefundForm(
  context: DashboardContext,
  payment: Payment,
  failed?: FailedForm,
): DashboardView {
  const { errors = {} } = failed?.failure ?? {};
  const value = (name: string, first: string) => (failed ? (failed.fields.get(name) ?? '') : first);
  const { amount, reason } = refundFields;
  const isOffline = payment.method === 'offline';
  const content = html`${renderField({ name: 'amount', label: `${amount.label} (${payment.currency})`, hint: amount.hint, value: value('amount', toMajorUnits(refundable(payment))), error: errors.amount })}
${renderField({ name: 'reason', type: 'textarea', label: reason.label, hint: reason.hint, value: value('reason', ''), error: errors.reason })}`;
  const form = renderForm(context, {
    action: context.url(`/payments/${payment.id}/refund`),
    submit: isOffline ? paymentTexts.submitReturn : paymentTexts.submitRefund,
    content,
  });
  return {
    title: isOffline ? paymentTexts.returnTitle : paymentTexts.refundTitle,
    section: 'payments',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderPaymentSummary(context, payment)}
${isOffline ? html`<p>${paymentTexts.returnHint}</p>` : ''}${isRefundable(payment) ? form : html`<p>${paymentTexts.notRefundable}</p>`}<p>${renderButtonLink(context.url(`/payments/${payment.id}`), paymentTexts.back)}</p></section>`,
  };
}

export function renderPaymentSummary(context: DashboardContext, payment: Payment): Markup {
  const { amount, amountRefunded, currency, invoiceId, status } = payment;
  return html`<p class="sum">${renderAmount(amount, currency)} ${renderPaymentStatus(payment)}</p>
${renderDefinitions([
  [fieldNames.invoice, renderIdLink(context, '/invoices', invoiceId)],
  payment.amountOver ? [paymentTexts.amountOver, renderAmount(payment.amountOver, currency)] : undefined,
  payment.creditUses
    ? [paymentTexts.amountCredited, renderAmount(amountCreditedOf(payment), currency)]
    : undefined,
  payment.creditFrom === undefined
    ? undefined
    : [paymentTexts.creditFrom, renderIdLink(context, '/payments', payment.creditFrom)],
  amountRefunded > 0 ? [fieldNames.refunded, renderAmount(amountRefunded, currency)] : undefined,
  (status === 'completed' && payment.creditFrom === undefined) || payment.failureCode === 'amount_differs'
    ? [paymentTexts.refundable, renderAmount(refundable(payment), currency)]
    : undefined,
])}`;
}

/** Renders the decision about a payment of another amount than that of its invoice. */
function renderResolution(context: DashboardContext, payment: Payment): Markup | undefined {
  if (!isHeld(payment) || !context.can('payments:record')) return undefined;
  const action = context.url(`/payments/${payment.id}/resolve`);
  const formOf = (chosen: string, submit: string, style: 'plain' | undefined) =>
    renderForm(context, { action, submit, style, content: renderHiddenInput('action', chosen) });
  return html`<section class="card"><h2>${paymentTexts.resolveTitle}</h2><p>${paymentTexts.resolveHint(formatAmount(payment.amount, payment.currency))}</p>
${formOf('accept', paymentTexts.accept, undefined)}${context.can('refunds:create') && formOf('refund', paymentTexts.refundAll, 'plain')}</section>
`;
}

function renderFee({ amount, tax, currency }: PaymentFees): Markup {
  const ofTax = tax > 0 ? html` (${paymentTexts.tax} ${renderSettled(tax, currency)})` : '';
  return html`${renderSettled(amount, currency)}${ofTax}`;
}

/** A provider can settle in a currency whose smallest unit is not known here. */
function renderSettled(amountMinor: number, settled: string): Markup {
  const currency = currencies.find((each) => each === settled);
  return currency
    ? renderAmount(amountMinor, currency)
    : html`${amountMinor} ${settled} (${paymentTexts.smallestUnit})`;
}

function renderDispute(zone: ZoneContext, dispute: PaymentDispute, currency: Currency): Markup {
  const { status, reason, amount, openedAt, respondBy } = dispute;
  const due =
    isUndecided(status) && respondBy !== undefined
      ? html`. ${paymentTexts.respondBy} ${renderTime(zone, respondBy)}`
      : '';
  return html`${textFor(paymentTexts.disputeStatuses, status)}: ${renderAmount(amount, currency)}, ${renderText(reason)}, ${renderTime(zone, openedAt)}${due}`;
}

const isRefundable = ({ dispute, ...payment }: Payment) =>
  (payment.status === 'completed' || payment.failureCode === 'amount_differs') &&
  (!dispute || !isUndecided(dispute.status) || dispute.isRefundable) &&
  refundable(payment) > 0;

function renderButtons({ can, url }: DashboardContext, payment: Payment): Markup | undefined {
  const canRefund = can('refunds:create') && isRefundable(payment);
  const canVoid = can('payments:void') && mayBeVoidable(payment);
  if (!canRefund && !canVoid) return undefined;
  const refund = payment.method === 'offline' ? paymentTexts.return : paymentTexts.refund;
  return html`${canVoid ? renderButtonLink(url(`/payments/${payment.id}/void`), paymentTexts.void) : ''}${canRefund ? renderButtonLink(url(`/payments/${payment.id}/refund`), refund) : ''}`;
}
