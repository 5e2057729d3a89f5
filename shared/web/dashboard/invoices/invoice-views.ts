/** Renders the pages with the forms of invoices. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import { formatAmount } from '../../../base/money.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { amountPaidOf, hasParts } from '../../../domain/invoices/received-money.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderForm, renderSelect } from '../forms.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { forceOf } from './consent-fields.ts';
import { readFoundCustomers } from './customer-finder.ts';
import { readInvoiceChoices } from './invoice-choices.ts';
import { showInvoiceSummary } from './invoice-detail.ts';
import {
  renderEditFields,
  renderNewInvoiceFields,
  renderReplaceFields,
  renderUseCredit,
  type ShownInvoiceForm,
} from './invoice-form.ts';
import { invoiceTexts, returnedPartsField } from './invoice-texts.ts';
import { renderDraftButton, renderLineButtons } from './line-fields.ts';

/** Shows the form of a new invoice. */
export async function showNewInvoiceForm(
  context: DashboardContext,
  shown: ShownInvoiceForm,
): Promise<DashboardView> {
  const [choices, found] = await Promise.all([
    readInvoiceChoices(context),
    readFoundCustomers(context, shown.fields),
  ]);
  const { failure } = shown;
  const action = context.url('/invoices/new');
  const content = html`${renderNewInvoiceFields(context, shown, { ...choices, found })}${renderUseCredit(shown)}`;
  const others = html`${renderDraftButton()}${renderLineButtons(action)}`;
  return {
    title: invoiceTexts.create,
    section: 'invoices',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${renderForm(context, { action, submit: invoiceTexts.create, content, others, hasButtons: true })}</section>`,
  };
}

/** Shows the form that changes an invoice. */
export async function showEditForm(
  context: DashboardContext,
  invoice: Invoice,
  shown?: ShownInvoiceForm,
): Promise<DashboardView> {
  const choices = await readInvoiceChoices(context);
  const failure = shown?.failure;
  const forced = forceOf(context, failure);
  const content = html`${renderEditFields(context, invoice, shown, choices)}${forced.content}`;
  const isEditable = invoice.status === 'pending';
  const action = context.url(`/invoices/${invoice.id}/edit`);
  return {
    title: invoiceTexts.editTitle,
    section: 'invoices',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${
      isEditable
        ? renderForm(context, {
            action,
            submit: forced.isOffered ? invoiceTexts.saveAnyway : invoiceTexts.save,
            others: renderLineButtons(action),
            content,
          })
        : html`<p>${invoiceTexts.notEditable}</p>${await showInvoiceSummary(context, invoice)}`
    }${renderBack(context, invoice)}</section>`,
  };
}

/** Shows the form that cancels an invoice and creates another one in its place. */
export async function showReplaceInvoiceForm(
  context: DashboardContext,
  invoice: Invoice,
  shown?: ShownInvoiceForm,
): Promise<DashboardView> {
  const [choices, found] = await Promise.all([
    readInvoiceChoices(context),
    readFoundCustomers(context, shown?.fields),
  ]);
  const failure = shown?.failure;
  const forced = forceOf(context, failure);
  const content = html`${renderReplaceFields(context, invoice, shown, { ...choices, found })}${forced.content}`;
  const action = context.url(`/invoices/${invoice.id}/replace`);
  return {
    title: invoiceTexts.replaceTitle,
    section: 'invoices',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${
      isPayable(invoice)
        ? html`<p>${invoiceTexts.replaceHint}</p>${renderForm(context, {
            action,
            submit: forced.isOffered ? invoiceTexts.replaceAnyway : invoiceTexts.replace,
            hasButtons: true,
            others: renderLineButtons(action),
            content,
          })}`
        : html`<p>${invoiceTexts.notReplaceable}</p>${await showInvoiceSummary(context, invoice)}`
    }${renderBack(context, invoice)}</section>`,
  };
}

/** Shows the page that asks for confirmation of a cancellation. */
export async function showCancelForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): Promise<DashboardView> {
  const { isOffered, content } = forceOf(context, failed?.failure);
  const isPartlyPaid = hasParts(invoice);
  const own = isPartlyPaid ? invoiceTexts.cancelParts : invoiceTexts.cancel;
  const submit = isOffered ? invoiceTexts.cancelAnyway : own;
  const parts = isPartlyPaid ? renderReturnedParts(context, invoice, failed) : '';
  return {
    title: invoiceTexts.cancelTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${await showInvoiceSummary(context, invoice)}<p>${invoiceTexts.cancelHint}</p>
${renderForm(context, { action: context.url(`/invoices/${invoice.id}/cancel`), submit, content: html`${parts}${content}`, style: 'danger' })}${renderBack(context, invoice, invoiceTexts.keep)}</section>`,
  };
}

/** Renders what becomes of the payments of an invoice that is cancelled. Who may not refund can keep them as credit. */
function renderReturnedParts(
  { can }: DashboardContext,
  invoice: Invoice,
  failed: FailedForm | undefined,
): Markup {
  const { choices: all, ...field } = returnedPartsField;
  const choices = can('refunds:create') ? all : ([all[1]] as const);
  const value = failed?.fields.get('payments') ?? choices[0][0];
  const hint = invoiceTexts.refundPartsHint(formatAmount(amountPaidOf(invoice), invoice.currency));
  return html`<p>${hint}</p>${renderSelect({ name: 'payments', ...field, choices, value })}`;
}

/** Renders the link back to the invoice. */
export const renderBack = (context: DashboardContext, { id }: Invoice, text: string = invoiceTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/invoices/${id}`), text)}</p>`;
