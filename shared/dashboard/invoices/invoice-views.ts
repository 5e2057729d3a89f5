/** Renders the pages with the forms of invoices. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import type { Invoice } from '../../invoices/invoice.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { renderInvoiceSummary } from './invoice-detail.ts';
import { renderEditFields, renderNewInvoiceFields } from './invoice-form.ts';
import { invoiceFields, invoiceTexts } from './invoice-texts.ts';

/**
 * Shows the form of a new invoice.
 * @param customerId the customer that the empty form names
 */
export function showNewInvoiceForm(
  context: DashboardContext,
  customerId: string,
  failed?: FailedForm,
): DashboardView {
  const fields = failed?.fields ?? new Map([['customerId', customerId]]);
  const content = renderNewInvoiceFields(fields, failed?.failure.errors ?? {});
  return {
    title: invoiceTexts.create,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderForm(context, { action: context.url('/invoices/new'), submit: invoiceTexts.create, content })}</section>`,
  };
}

/** Shows the form that changes an invoice. */
export function showEditForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): DashboardView {
  const content = renderEditFields(invoice, failed);
  const isEditable = invoice.status === 'pending';
  return {
    title: invoiceTexts.editTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${
      isEditable
        ? renderForm(context, {
            action: context.url(`/invoices/${invoice.id}/edit`),
            submit: invoiceTexts.save,
            content,
          })
        : html`<p>${invoiceTexts.notEditable}</p>${renderInvoiceSummary(invoice)}`
    }${renderBack(context, invoice)}</section>`,
  };
}

/** Shows the page that asks for confirmation of a cancellation. */
export function showCancelForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): DashboardView {
  return {
    title: invoiceTexts.cancelTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderInvoiceSummary(invoice)}<p>${invoiceTexts.cancelHint}</p>
${renderForm(context, { action: context.url(`/invoices/${invoice.id}/cancel`), submit: invoiceTexts.cancel, style: 'danger' })}${renderBack(context, invoice, invoiceTexts.keep)}</section>`,
  };
}

/** Shows the form that records a payment received outside the service. It contains the amount that it shows. */
export function showOfflinePaymentForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): DashboardView {
  const { label, hint } = invoiceFields.reference;
  const value = failed?.fields.get('reference') ?? '';
  const error = failed?.failure.errors?.reference;
  const content = html`${renderHiddenInput('amount', invoice.amount)}${renderField({ name: 'reference', label, hint, value, error })}`;
  return {
    title: invoiceTexts.markPaidTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderInvoiceSummary(invoice)}<p>${invoiceTexts.markPaidHint}</p>
${renderForm(context, { action: context.url(`/invoices/${invoice.id}/payment`), submit: invoiceTexts.markPaid, content })}${renderBack(context, invoice)}</section>`,
  };
}

const renderBack = (context: DashboardContext, { id }: Invoice, text: string = invoiceTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/invoices/${id}`), text)}</p>`;
