/** The form that sends an invoice, its receipt, a reminder, or a mail again, and what sending it does. */
import { html } from 'hono/html';
import type * as v from 'valibot';
import { isEmail } from '../../../base/email.ts';
import { env } from '../../../base/env.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { mailKinds } from '../../../domain/accounts/mail-settings.ts';
import { readCustomer } from '../../../domain/customers/customer-store.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { sendInvoiceBody } from '../../../domain/mails/mail.ts';
import { sendInvoiceCommand } from '../../../domain/mails/send-invoice-store.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { readRefund } from '../../../domain/refunds/refund-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { type FailedForm, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, DashboardAction, DashboardView } from '../definitions.ts';
import { renderField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { linesOf, validateFields } from '../input/form-fields.ts';
import { renderFailure } from '../records/record-elements.ts';
import { showFormAgain } from './change-invoice.ts';
import { showInvoiceSummary } from './invoice-detail.ts';
import { renderBack } from './invoice-views.ts';
import { mailKindTexts, sendInvoiceFields, sendTexts } from './mail-texts.ts';

const fieldNames = ['to', 'message'] as const;

/** The fields that say which mail is sent: one that is sent again, or the choice of an invoice that is to be paid. */
const optionalNames = ['kind', 'about', 'mail'] as const;

function textsOf({ status }: Invoice, again: string) {
  const repeated = mailKinds.find((each) => each === again);
  if (repeated)
    return { submit: sendTexts.again, hint: `${mailKindTexts[repeated]}. ${sendTexts.againHint}` };
  return status === 'paid'
    ? { submit: sendTexts.sendReceipt, hint: sendTexts.receiptHint }
    : { submit: sendTexts.send, hint: sendTexts.hint };
}

/** Shows the form with the address that the invoice has. An invoice that is to be paid has a choice of mails. */
export async function showSendForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
  query?: URLSearchParams,
): Promise<DashboardView> {
  const sentValue = (name: string) => (failed?.fields ?? query)?.get(name) ?? '';
  const { buyer, customerId } = invoice;
  const known = buyer?.email ?? (isEmail(customerId) ? customerId : '');
  const fields = fieldNames.map((name) =>
    renderField({
      name,
      ...sendInvoiceFields[name],
      value: failed?.fields.get(name) ?? (name === 'to' ? known : ''),
      error: failed?.failure.errors?.[name],
    }),
  );
  const again = sentValue('kind');
  const choice =
    again === '' && isPayable(invoice)
      ? renderSelect({ name: 'mail', ...sendInvoiceFields.mail, value: sentValue('mail') })
      : '';
  const hidden = ['kind', 'about'].map((name) => renderHiddenInput(name, sentValue(name)));
  const { submit, hint } = textsOf(invoice, again);
  const action = context.url(`/invoices/${invoice.id}/send`);
  return {
    title: submit,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${await showInvoiceSummary(context, invoice)}<p>${hint}</p>${renderReaders(context)}
${renderForm(context, { action, submit, content: html`${choice}${fields}${hidden}` })}${renderBack(context, invoice)}</section>`,
  };
}

/** Says who gets mails, if not everybody does. The double of Amazon SES delivers nothing, and its address is that of a page with all mails. */
function renderReaders({ mode }: DashboardContext): Markup | '' {
  if (env.isMailDouble())
    return html`<p>${sendTexts.localHint} <a href="${env.awsEndpoint('email')}/">${sendTexts.localPage}</a></p>`;
  return mode === 'test' ? html`<p>${sendTexts.testHint}</p>` : '';
}

/** Sends a mail about an invoice, as one attempt. @throws ApiError and others, which `failureOf` knows */
export async function sendOne(
  request: ActionRequest,
  id: string,
  sent: v.InferOutput<typeof sendInvoiceBody>,
): Promise<void> {
  const owner = requestOwnerOf(request);
  const findCustomer = async (customer: string) => (await readCustomer(owner, customer)).record;
  const findPayment = async (payment: string) => (await readPayment(owner, payment)).record;
  const findRefund = async (refund: string) => (await readRefund(owner, refund)).record;
  await commitAttempt(
    await formAttemptOf(request, 'invoice.send', id, sent),
    () => Promise.all([readInvoice(owner, id), readAccount(owner.account)]),
    ([invoice, settings]) =>
      sendInvoiceCommand(
        owner,
        invoice,
        sent,
        { settings, findCustomer, findPayment, findRefund },
        request.context.moment,
      ),
  );
}

export const sendInvoice: DashboardAction = {
  path: '/invoices/:id/send',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}/send`,
  fields: fieldNames,
  optionalFields: optionalNames,
  typed: { showAgain: (request, failure) => showFormAgain(request, showSendForm, failure) },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const input = {
      ...Object.fromEntries(fieldNames.map((name) => [name, linesOf(form, name) || undefined])),
      kind: form.get('kind') || form.get('mail') || undefined,
      about: form.get('about') || undefined,
    };
    const sent = validateFields(sendInvoiceBody, input, sendInvoiceFields);
    if (!sent.ok) return showFormAgain(request, showSendForm, { errors: sent.errors, status: 400 });
    try {
      await sendOne(request, id, sent.output);
      return { redirectTo: context.url(`/invoices/${id}`), notice: 'invoice_sent' };
    } catch (error) {
      const failure = failureOf(error, sendInvoiceFields);
      return failure && showFormAgain(request, showSendForm, failure);
    }
  },
};
