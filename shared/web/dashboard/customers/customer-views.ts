/** Renders the pages with the forms of customers. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import type { Customer } from '../../../domain/customers/customer.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderCustomerFields } from './customer-form.ts';
import { customerFields, customerTexts } from './customer-texts.ts';

/** Shows the form of a new customer. */
export function showNewCustomerForm(context: DashboardContext, failed?: FailedForm): DashboardView {
  const action = context.url('/customers/new');
  const content = renderCustomerFields(undefined, failed);
  const form = renderForm(context, { action, submit: customerTexts.create, content });
  return viewOf(customerTexts.create, failed, form);
}

/** Shows the form that changes a customer. */
export function showCustomerEditForm(
  context: DashboardContext,
  customer: Customer,
  failed?: FailedForm,
): DashboardView {
  const seen = renderHiddenInput('seen', seenVersion(failed, String(customer.objectVersion)));
  const form = renderForm(context, {
    action: context.url(`/customers/${customer.id}/edit`),
    submit: customerTexts.save,
    content: html`${seen}${renderCustomerFields(customer, failed)}`,
  });
  return viewOf(customerTexts.editTitle, failed, html`${form}${renderBack(context, customer)}`);
}

/** Shows the page that asks for confirmation of a deletion. It says what is erased and what stays. */
export function showCustomerDeleteForm(
  context: DashboardContext,
  customer: Customer,
  failed?: FailedForm,
): DashboardView {
  const { id, name, email } = customer;
  const summary = renderDefinitions([
    [fieldNames.id, renderId(id)],
    name === null ? undefined : [customerFields.name.label, isolateDirection(name)],
    email === null ? undefined : [customerFields.email.label, isolateDirection(email)],
  ]);
  const action = context.url(`/customers/${id}/delete`);
  const form = renderForm(context, { action, submit: customerTexts.deleteSubmit, style: 'danger' });
  const { deleteTitle, erased, kept, eraseHint, keep } = customerTexts;
  const texts = html`<p>${erased}</p><p>${kept}</p><p class="hint">${eraseHint}</p>`;
  return viewOf(deleteTitle, failed, html`${summary}${texts}${form}${renderBack(context, customer, keep)}`);
}

const viewOf = (title: string, failed: FailedForm | undefined, content: Markup): DashboardView => ({
  title,
  section: 'customers',
  status: failed?.failure.status ?? 200,
  content: html`${renderFailure(failed?.failure)}<section class="card">${content}</section>`,
});

const renderBack = (context: DashboardContext, { id }: Customer, text: string = customerTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/customers/${id}`), text)}</p>`;
