/** Accepts or refunds a payment of another amount than that of its invoice, with the transitions and the commit of the API. */
import { ApiError } from '../../../base/errors.ts';
import {
  readPaymentWithInvoice,
  resolvePaymentCommand,
} from '../../../domain/payments/checkouts/resolve-payment.ts';
import { resolvePaymentBody } from '../../../domain/payments/payment.ts';
import { AttemptRefused, commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardAction } from '../definitions.ts';
import { validateFields } from '../input/form-fields.ts';

export const resolveAction: DashboardAction = {
  path: '/payments/:id/resolve',
  ability: 'payments:record',
  alsoNeeds: { ability: 'refunds:create', field: 'action', value: 'refund' },
  formPage: ({ id }) => `/payments/${id}`,
  fields: ['action'],
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const sent = validateFields(resolvePaymentBody, { action: form.get('action') }, {});
    const redirectTo = context.url(`/payments/${id}`);
    if (!sent.ok) return { redirectTo };
    const { action } = sent.output;
    const owner = requestOwnerOf(request);
    try {
      await commitAttempt(
        await formAttemptOf(request, 'payment.resolve', id, sent.output),
        () => readPaymentWithInvoice(owner, id),
        (loaded) => resolvePaymentCommand(loaded, action, context.moment.account),
      );
      return { redirectTo, notice: action === 'accept' ? 'payment_accepted' : 'payment_returned' };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payment_not_found') return undefined;
      // Somebody has decided before, or the invoice no longer waits for the payment. The page shows its state.
      if (error instanceof ApiError || error instanceof AttemptRefused)
        return { redirectTo, notice: 'payment_not_resolved' };
      throw error;
    }
  },
};
