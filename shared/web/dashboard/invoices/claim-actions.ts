/** Carries out the buttons that confirm or reject the claim of a payer, with the transitions and the commits of the API. */
import { html } from 'hono/html';
import { ApiError } from '../../../base/errors.ts';
import { openClaimOf, rejectClaimBody } from '../../../domain/invoices/claim.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { confirmClaimCommand, rejectClaimCommand } from '../../../domain/payments/close-claim.ts';
import { refusesOver } from '../../../domain/payments/payable-amount.ts';
import { createOfflinePaymentCommand, readPayment } from '../../../domain/payments/payment-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  failureOf,
  formAttemptOf,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf, linesOf, validateFields } from '../input/form-fields.ts';
import { renderFailure } from '../records/record-elements.ts';
import { isForced, showFormAgain } from './change-invoice.ts';
import { renderClaim } from './claim-view.ts';
import { acceptOverField, allowField } from './consent-fields.ts';
import { showInvoiceSummary } from './invoice-detail.ts';
import { claimTexts, invoiceTexts, overTexts } from './invoice-texts.ts';
import { renderBack } from './invoice-views.ts';

export const confirmClaim: DashboardAction = {
  path: '/invoices/:id/claim/confirm',
  ability: 'payments:record',
  formPage: ({ id }) => `/invoices/${id}`,
  fields: ['claim', 'payment'],
  typed: { showAgain: (request, failure) => showFormAgain(request, showFailed, failure) },
  handle: (request) => {
    const paymentId = lineOf(request.form, 'payment');
    return paymentId ? confirmWith(request, paymentId) : confirmWithNew(request);
  },
};

/** Confirms the claim with a payment that is recorded already. */
async function confirmWith(request: ActionRequest, paymentId: string): Promise<ActionResult | undefined> {
  const id = request.params.id ?? '';
  const owner = requestOwnerOf(request);
  const sent = { claimId: lineOf(request.form, 'claim'), paymentId };
  const attempt = await formAttemptOf(request, 'invoice.confirm_claim', id, sent);
  return decide(request, 'claim_confirmed', () =>
    commitAttempt(
      attempt,
      () => Promise.all([readInvoice(owner, id), readPayment(owner, paymentId)]),
      ([invoice, payment]) => confirmClaimCommand({ invoice, payment }, sent, request.context.moment.account),
    ),
  );
}

/** Records a payment that confirms the claim. */
async function confirmWithNew(request: ActionRequest): Promise<ActionResult | undefined> {
  const { context, form, params } = request;
  const id = params.id ?? '';
  const claim = lineOf(form, 'claim');
  const allowDuplicateReference = form.get(allowField) === 'yes';
  const acceptOver = form.get(acceptOverField) === 'yes';
  const consents = { allowDuplicateReference, acceptOver };
  const details = { amount: undefined, reference: null, claim, ...consents };
  const attempt = await formAttemptOf(request, 'payment.create', id, { claim, ...consents });
  return decide(request, 'payment_recorded', () =>
    commitCreation(
      attempt,
      'payment',
      () => readInvoice(attempt.owner, id),
      async (principal, invoice) => {
        const known = { principal, invoice, clock: context.moment, reservesWithoutBank: true };
        const command = await createOfflinePaymentCommand(known, details);
        return voidCheckoutFirst(command, context.now, isForced(request));
      },
    ),
  );
}

export const rejectClaim: DashboardAction = {
  path: '/invoices/:id/claim/reject',
  ability: 'payments:record',
  formPage: ({ id }) => `/invoices/${id}`,
  fields: ['claim', 'reason'],
  typed: { showAgain: (request, failure) => showFormAgain(request, showFailed, failure) },
  handle: async (request) => {
    const { context, form, params } = request;
    const id = params.id ?? '';
    const input = { claimId: lineOf(form, 'claim'), reason: linesOf(form, 'reason') };
    const sent = validateFields(rejectClaimBody, input, {
      claimId: { label: claimTexts.title },
      reason: { label: claimTexts.reason },
    });
    if (!sent.ok) return showFormAgain(request, showFailed, { errors: sent.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'invoice.reject_claim', id, sent.output);
    return decide(request, 'claim_rejected', () =>
      commitAttempt(
        attempt,
        () => readInvoice(requestOwnerOf(request), id),
        (invoice) => rejectClaimCommand(invoice, sent.output, context.moment.account),
      ),
    );
  },
};

/** Decides about a claim. Returns to the invoice, or shows the claim again with the error. */
async function decide(
  request: ActionRequest,
  notice: 'payment_recorded' | 'claim_rejected' | 'claim_confirmed',
  run: () => Promise<unknown>,
): Promise<ActionResult | undefined> {
  try {
    await run();
    return { redirectTo: request.context.url(`/invoices/${request.params.id}`), notice };
  } catch (error) {
    const failure = failureOfClaim(error);
    return failure && showFormAgain(request, showFailed, failure);
  }
}

/** Says what to do about a reference that is used, and about an amount that the invoice does not take. */
function failureOfClaim(error: unknown): Failure | undefined {
  const code = error instanceof ApiError ? error.code : undefined;
  if (error instanceof ApiError && code === 'reference_already_used')
    return { alert: `${error.message.split('. ')[0]}. ${claimTexts.isOther}`, status: 400 };
  if (code === 'invalid_payment') return { alert: claimTexts.notThis, status: 400 };
  if (refusesOver(error)) return { alert: overTexts.error, status: 400 };
  if (code === 'invalid_amount') return { alert: claimTexts.otherAmount, status: 400 };
  if (code === 'invalid_claim') return { alert: claimTexts.decided, status: 409 };
  return failureOf(error, { reason: { label: claimTexts.reason } });
}

async function showFailed(
  context: DashboardContext,
  invoice: Invoice,
  failed: FailedForm,
): Promise<DashboardView> {
  return {
    title: invoiceTexts.one,
    section: 'invoices',
    status: failed.failure.status,
    // Somebody else has decided about the claim, so that its card is gone.
    content: html`${openClaimOf(invoice) ? '' : renderFailure(failed.failure)}<section class="card">${await showInvoiceSummary(context, invoice)}${renderBack(context, invoice)}</section>${await renderClaim(context, invoice, failed)}`,
  };
}
