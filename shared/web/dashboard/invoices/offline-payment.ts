/** The form that records a payment received outside the service, and what sending it does. */
import { html } from 'hono/html';
import { ApiError } from '../../../base/errors.ts';
import { toMajorUnits } from '../../../base/money.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { amountDueOf } from '../../../domain/invoices/received-money.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { createPaymentBody, offlineDetails } from '../../../domain/payments/payment.ts';
import { createOfflinePaymentCommand } from '../../../domain/payments/payment-store.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type FailedForm, FieldsError, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardAction, DashboardView } from '../definitions.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import { linesOf, sentAmountOf, validateFields } from '../input/form-fields.ts';
import { renderFailure } from '../records/record-elements.ts';
import { changeInvoice, isForced, showFormAgain } from './change-invoice.ts';
import { renderInvoiceSummary } from './invoice-detail.ts';
import { invoiceTexts, offlinePaymentFields, partAmountField, usedReferenceTexts } from './invoice-texts.ts';
import { forceOf, renderBack } from './invoice-views.ts';

const fieldNames = Object.keys(offlinePaymentFields) as (keyof typeof offlinePaymentFields)[];

/** The box of other money under a reference that another payment has. */
const allowField = 'allowDuplicateReference';

/** Shows the form. It contains the amount that it shows. */
export function showOfflinePaymentForm(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): DashboardView {
  const forced = forceOf(context, failed?.failure);
  const submit = forced.isOffered ? invoiceTexts.markPaidAnyway : invoiceTexts.markPaid;
  const fields = fieldNames.map((name) =>
    renderField({
      name,
      ...offlinePaymentFields[name],
      value: failed?.fields.get(name) ?? '',
      error: failed?.failure.errors?.[name],
    }),
  );
  const isUsed = failed?.failure.errors?.reference === usedReferenceTexts.error;
  const allow =
    isUsed &&
    html`<p><label class="choice"><input type="checkbox" name="${allowField}" value="yes">${usedReferenceTexts.allow}</label></p>`;
  const amount = invoice.acceptPartial
    ? renderField({
        name: 'amount',
        ...partAmountField,
        label: `${partAmountField.label} (${invoice.currency})`,
        value: failed?.fields.get('amount') ?? toMajorUnits(amountDueOf(invoice)),
        error: failed?.failure.errors?.amount,
      })
    : renderHiddenInput('amount', toMajorUnits(amountDueOf(invoice)));
  const content = html`${amount}${fields}${allow || ''}${forced.content}`;
  return {
    title: invoiceTexts.markPaidTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderInvoiceSummary(invoice)}<p>${invoiceTexts.markPaidHint}</p>
${renderForm(context, { action: context.url(`/invoices/${invoice.id}/payment`), submit, content })}${renderBack(context, invoice)}</section>`,
  };
}

export const recordPayment: DashboardAction = {
  path: '/invoices/:id/payment',
  ability: 'payments:record',
  formPage: ({ id }) => `/invoices/${id}/payment`,
  fields: [...fieldNames, 'amount'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showOfflinePaymentForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const input = {
      invoiceId: id,
      method: 'offline',
      amount: sentAmountOf(form, 'amount'),
      allowDuplicateReference: form.get(allowField) === 'yes',
      ...Object.fromEntries(fieldNames.map((name) => [name, linesOf(form, name) || undefined])),
    };
    const sent = validateFields(createPaymentBody, input, {
      ...offlinePaymentFields,
      amount: partAmountField,
    });
    if (!sent.ok) return showFormAgain(request, showOfflinePaymentForm, { errors: sent.errors, status: 400 });
    let acceptsParts = false;
    const attempt = await formAttemptOf(request, 'payment.create', id, sent.output);
    return changeInvoice(request, showOfflinePaymentForm, 'payment_recorded', () =>
      commitCreation(
        attempt,
        'payment',
        () => readInvoice(requestOwnerOf(request), id),
        async (principal, invoice) => {
          acceptsParts = invoice.record?.acceptPartial === true;
          return voidCheckoutFirst(
            await createOfflinePaymentCommand(
              { principal, invoice, clock: context.moment },
              offlineDetails(sent.output),
            ),
            context.now,
            isForced(request),
          );
        },
      ).catch((error) => {
        const isUsed = error instanceof ApiError && error.code === 'reference_already_used';
        const isTooMuch = acceptsParts && error instanceof ApiError && error.code === 'invalid_amount';
        if (isTooMuch) throw new FieldsError({ amount: partAmountField.tooMuch });
        throw isUsed ? new FieldsError({ reference: usedReferenceTexts.error }) : error;
      }),
    );
  },
};
