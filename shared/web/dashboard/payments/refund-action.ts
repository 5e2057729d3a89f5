/** Refunds a payment from its form, with the transition and the commit of the API. */
import { ApiError } from '../../../base/errors.ts';
import { formatAmount } from '../../../base/money.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { refundable } from '../../../domain/payments/transitions.ts';
import { createRefundBody } from '../../../domain/refunds/refund.ts';
import { createRefundCommand } from '../../../domain/refunds/refund-store.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type Failure, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { linesOf, sentAmountOf, validateFields } from '../input/form-fields.ts';
import { showRefundForm } from './payment-detail.ts';
import { paymentTexts, refundFields } from './payment-texts.ts';

export const refundAction: DashboardAction = {
  path: '/payments/:id/refund',
  ability: 'refunds:create',
  formPage: ({ id }) => `/payments/${id}/refund`,
  fields: ['amount', 'reason'],
  typed: {
    showAgain: (request, failure) => showAgain(request, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const paymentId = request.params.id ?? '';
    const input = {
      paymentId,
      amount: sentAmountOf(form, 'amount'),
      reason: linesOf(form, 'reason') || undefined,
    };
    const sent = validateFields(createRefundBody, input, refundFields);
    if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
    try {
      await commitCreation(
        await formAttemptOf(request, 'refund.create', paymentId, sent.output),
        'refund',
        () => readPayment(requestOwnerOf(request), paymentId),
        (principal, payment) => createRefundCommand(principal, payment, sent.output, context.moment.account),
      );
      return { redirectTo: context.url(`/payments/${paymentId}`), notice: 'refund_created' };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'refund_exceeds_payment')
        return showAgain(request, 'exceeds');
      const failure = failureOf(error, refundFields);
      return failure && showAgain(request, failure);
    }
  },
};

/** Shows the form again, with the payment as it is now and the values that the user typed. */
async function showAgain(
  request: ActionRequest,
  reason: Failure | 'exceeds',
): Promise<ActionResult | undefined> {
  const { record: payment } = await readPayment(requestOwnerOf(request), request.params.id ?? '');
  if (!payment) return undefined;
  // The message of the API has the amount in the smallest unit.
  const left = formatAmount(refundable(payment), payment.currency);
  const failure: Failure =
    reason === 'exceeds' ? { errors: { amount: paymentTexts.exceeds(left) }, status: 400 } : reason;
  return { view: showRefundForm(request.context, payment, { fields: request.form, failure }) };
}
