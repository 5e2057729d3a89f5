/** The form that cancels an invoice, and what it does. */
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import type { ReturnedParts } from '../../../domain/invoices/transitions.ts';
import { cancelInvoiceCommand } from '../../../domain/payments/cancel-invoice.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, DashboardAction } from '../definitions.ts';
import { changeInvoice, isForced } from './change-invoice.ts';
import { showCancelForm } from './invoice-views.ts';

interface CancelOptions {
  /** Whether to go on without the outcome of a payment. */
  readonly isForced: boolean;
  /** What becomes of what the invoice has received. Undefined: the form has not asked. */
  readonly payments: ReturnedParts | undefined;
}

/** Cancels an invoice, as one attempt. @throws ApiError and others, which `failureOf` knows */
export async function cancelOne(
  request: ActionRequest,
  id: string,
  { isForced: force, payments }: CancelOptions,
): Promise<void> {
  const { moment, now } = request.context;
  await commitAttempt(
    await formAttemptOf(request, 'invoice.cancel', id, { force, payments }),
    () => readInvoice(requestOwnerOf(request), id),
    async (invoice) => {
      const command = await cancelInvoiceCommand(invoice, moment.account, payments);
      return voidCheckoutFirst(command, now, force);
    },
  );
}

export const cancelInvoice: DashboardAction = {
  path: '/invoices/:id/cancel',
  ability: 'invoices:write',
  alsoNeeds: { ability: 'refunds:create', field: 'payments', value: 'refund' },
  formPage: ({ id }) => `/invoices/${id}/cancel`,
  handle: async (request) => {
    // The form says so only if it has shown the payments.
    const sent = request.form.get('payments');
    const payments = sent === 'refund' || sent === 'credit' ? sent : undefined;
    return changeInvoice(request, showCancelForm, 'invoice_cancelled', () =>
      cancelOne(request, request.params.id ?? '', { isForced: isForced(request), payments }),
    );
  },
};
