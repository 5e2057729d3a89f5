/** The form that voids a payment received outside the service, and what sending it does, with the transition and the commit of the API. */
import { html } from 'hono/html';
import { ApiError } from '../../../base/errors.ts';
import {
  type PaymentWithInvoice,
  readPaymentWithInvoice,
} from '../../../domain/payments/checkouts/resolve-payment.ts';
import { voidPaymentBody } from '../../../domain/payments/payment.ts';
import { paymentType } from '../../../domain/payments/record.ts';
import { voidPaymentCommand, voidRefusalOf } from '../../../domain/payments/void-payment.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  failureOf,
  formAttemptOf,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type {
  ActionRequest,
  ActionResult,
  DashboardAction,
  DashboardPage,
  DashboardRequest,
  DashboardView,
} from '../definitions.ts';
import { renderField, renderForm } from '../forms.ts';
import { linesOf, validateFields } from '../input/form-fields.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { renderPaymentSummary } from './payment-detail.ts';
import { paymentTexts, voidFields } from './payment-texts.ts';

export const voidFormPage: DashboardPage = {
  path: '/payments/:id/void',
  ability: 'payments:void',
  handle: async (request) => {
    const loaded = await readBoth(request);
    return loaded && showVoidForm(request.context, loaded);
  },
};

export const voidAction: DashboardAction = {
  path: '/payments/:id/void',
  ability: 'payments:void',
  formPage: ({ id }) => `/payments/${id}/void`,
  fields: ['reason'],
  typed: { showAgain: (request, failure) => showAgain(request, failure) },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const sent = validateFields(voidPaymentBody, { reason: linesOf(form, 'reason') }, voidFields);
    if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
    const { reason } = sent.output;
    try {
      await commitAttempt(
        await formAttemptOf(request, 'payment.void', id, sent.output),
        () => readPaymentWithInvoice(requestOwnerOf(request), id),
        (loaded) => voidPaymentCommand(loaded, reason, context.moment.account),
      );
      return { redirectTo: context.url(`/payments/${id}`), notice: 'payment_voided' };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payment_not_found') return undefined;
      const failure = failureOf(error, voidFields);
      return failure && showAgain(request, failure);
    }
  },
};

/** Shows the form, or why the payment cannot be voided. */
function showVoidForm(
  context: DashboardContext,
  [{ record: payment }, { record: invoice }]: PaymentWithInvoice,
  failed?: FailedForm,
): DashboardView | undefined {
  if (!payment || !invoice) return undefined;
  const refusal = voidRefusalOf(payment, invoice);
  const content = renderField({
    name: 'reason',
    type: 'textarea',
    label: voidFields.reason.label,
    hint: voidFields.reason.hint,
    value: failed?.fields.get('reason') ?? '',
    error: failed?.failure.errors?.reason,
  });
  const form = renderForm(context, {
    action: context.url(`/payments/${payment.id}/void`),
    submit: paymentTexts.submitVoid,
    content,
  });
  return {
    title: paymentTexts.voidTitle,
    section: 'payments',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderPaymentSummary(context, payment)}
${refusal === undefined ? html`<p>${paymentTexts.voidHint}</p>${invoice.status === 'paid' ? html`<p>${paymentTexts.voidPaidHint}</p>` : ''}${form}` : html`<p>${refusal}</p>`}<p>${renderButtonLink(context.url(`/payments/${payment.id}`), paymentTexts.back)}</p></section>`,
  };
}

/** Returns undefined if the owner has no such payment. */
async function readBoth(request: DashboardRequest): Promise<PaymentWithInvoice | undefined> {
  const id = request.params.id ?? '';
  if (!paymentType.isId(id)) return undefined;
  try {
    return await readPaymentWithInvoice(requestOwnerOf(request), id);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'payment_not_found') return undefined;
    throw error;
  }
}

/** Shows the form again, with the payment as it is now and the reason that the user typed. */
async function showAgain(request: ActionRequest, failure: Failure): Promise<ActionResult | undefined> {
  const loaded = await readBoth(request);
  const view = loaded && showVoidForm(request.context, loaded, { fields: request.form, failure });
  return view && { view };
}
