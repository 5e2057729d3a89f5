/** The forms that send an invoice, its receipt or a reminder by mail, and what sending them does. */
import { html } from 'hono/html';
import type * as v from 'valibot';
import { isEmail } from '../../../base/email.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { mailKinds } from '../../../domain/accounts/mail-settings.ts';
import { readCustomer } from '../../../domain/customers/customer-store.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { sendInvoiceBody } from '../../../domain/mails/mail.ts';
import { sendInvoiceCommand } from '../../../domain/mails/send-invoice-store.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { readRefund } from '../../../domain/refunds/refund-store.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { type FailedForm, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, DashboardAction, DashboardView } from '../definitions.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import { linesOf, validateFields } from '../input/form-fields.ts';
import { renderFailure } from '../records/record-elements.ts';
import { showFormAgain } from './change-invoice.ts';
import { showInvoiceSummary } from './invoice-detail.ts';
import { renderBack } from './invoice-views.ts';
import { mailKindTexts, sendInvoiceFields, sendTexts } from './mail-texts.ts';

const fieldNames = Object.keys(sendInvoiceFields) as (keyof typeof sendInvoiceFields)[];

/** The fields that say which mail is sent again. */
const againNames = ['kind', 'about'] as const;

interface MailForm {
  /** The end of its path. */
  readonly name: 'send' | 'remind';
  /** What the mail is. Undefined: the fields of the form say it, or the state of the invoice decides. */
  readonly kind: v.InferOutput<typeof sendInvoiceBody>['kind'];
}

const sendForm: MailForm = { name: 'send', kind: undefined };
const remindForm: MailForm = { name: 'remind', kind: 'reminder' };

const textsOf = ({ kind }: MailForm, { status }: Invoice, again: string | null | undefined) => {
  const repeated = mailKinds.find((each) => each === again);
  if (repeated)
    return { submit: sendTexts.again, hint: `${mailKindTexts[repeated]}. ${sendTexts.againHint}` };
  if (kind === 'reminder') return { submit: sendTexts.remind, hint: sendTexts.remindHint };
  return status === 'paid'
    ? { submit: sendTexts.sendReceipt, hint: sendTexts.receiptHint }
    : { submit: sendTexts.send, hint: sendTexts.hint };
};

/** Returns the function that shows a form, with the address that the invoice has. */
const showMailForm =
  (form: MailForm) =>
  async (
    context: DashboardContext,
    invoice: Invoice,
    failed?: FailedForm,
    query?: URLSearchParams,
  ): Promise<DashboardView> => {
    const again = failed?.fields ?? query;
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
    const hidden =
      form.kind === undefined
        ? againNames.map((name) => renderHiddenInput(name, again?.get(name) ?? ''))
        : [];
    const { submit, hint } = textsOf(form, invoice, again?.get('kind') || undefined);
    const test = context.mode === 'test' ? html`<p>${sendTexts.testHint}</p>` : '';
    const action = context.url(`/invoices/${invoice.id}/${form.name}`);
    return {
      title: submit,
      section: 'invoices',
      status: failed?.failure.status ?? 200,
      content: html`${renderFailure(failed?.failure)}<section class="card">${await showInvoiceSummary(context, invoice)}<p>${hint}</p>${test}
${renderForm(context, { action, submit, content: html`${fields}${hidden}` })}${renderBack(context, invoice)}</section>`,
    };
  };

export const showSendForm = showMailForm(sendForm);
export const showRemindForm = showMailForm(remindForm);

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

export const sendInvoice = mailAction(sendForm);
export const remindOfInvoice = mailAction(remindForm);

function mailAction(mailForm: MailForm): DashboardAction {
  const show = showMailForm(mailForm);
  return {
    path: `/invoices/:id/${mailForm.name}`,
    ability: 'invoices:write',
    formPage: ({ id }) => `/invoices/${id}/${mailForm.name}`,
    fields: fieldNames,
    ...(mailForm.kind === undefined && { optionalFields: againNames }),
    typed: {
      showAgain: (request, failure) => showFormAgain(request, show, failure),
    },
    handle: async (request) => {
      const { context, form } = request;
      const id = request.params.id ?? '';
      const typed = fieldNames.map((name) => [name, linesOf(form, name) || undefined]);
      const again = againNames.map((name) => [name, form.get(name) || undefined]);
      const input = {
        ...Object.fromEntries([...typed, ...again]),
        ...(mailForm.kind && { kind: mailForm.kind }),
      };
      const sent = validateFields(sendInvoiceBody, input, sendInvoiceFields);
      if (!sent.ok) return showFormAgain(request, show, { errors: sent.errors, status: 400 });
      try {
        await sendOne(request, id, sent.output);
        return { redirectTo: context.url(`/invoices/${id}`), notice: 'invoice_sent' };
      } catch (error) {
        const failure = failureOf(error, sendInvoiceFields);
        return failure && showFormAgain(request, show, failure);
      }
    },
  };
}
