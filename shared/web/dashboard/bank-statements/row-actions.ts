/** What people decide about a row of a bank statement, with the commands and the commit of the API. */
import { ApiError } from '../../../base/errors.ts';
import { refusesOver } from '../../../domain/payments/payable-amount.ts';
import { ignoreRowCommand, readIgnore } from '../../../domain/statements/ignore-row.ts';
import { matchRowCommand, readMatch } from '../../../domain/statements/match-row.ts';
import { type MatchRow, matchRowBody } from '../../../domain/statements/row-decision.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type Failure,
  FieldsError,
  failureOf,
  formAttemptOf,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf, sentAmountOf, validateFields } from '../input/form-fields.ts';
import { isForced } from '../invoices/change-invoice.ts';
import { acceptOverField, allowField } from '../invoices/consent-fields.ts';
import { overTexts, usedReferenceTexts } from '../invoices/invoice-texts.ts';
import { matchFields, rowTexts } from './bank-statement-texts.ts';
import { findNamedInvoice } from './find-invoice.ts';
import { rowPathOf, showRowPage } from './row-views.ts';
import { findRow } from './statement-queries.ts';

const formPage = ({ id = '', row = '' }: Readonly<Record<string, string>>) => rowPathOf(id, row);
const pathOf = ({ context, params }: ActionRequest) => context.url(`/bank-statements/${params.id}`);

export const matchAction: DashboardAction = {
  path: '/bank-statements/:id/rows/:row/match',
  ability: 'payments:record',
  formPage,
  fields: ['invoice', 'amount'],
  optionalFields: ['writeOff', 'reason'],
  typed: { showAgain: (request, failure) => showAgain(request, failure) },
  handle: async (request) => {
    const { form } = request;
    const invoice = lineOf(form, 'invoice');
    const sent = validateFields(
      matchRowBody,
      {
        invoiceId: invoice,
        amount: sentAmountOf(form, 'amount'),
        settle: settlementIn(form),
        allowDuplicateReference: form.get(allowField) === 'yes',
        acceptOver: form.get(acceptOverField) === 'yes',
      },
      {
        amount: matchFields.amount,
        invoiceId: { label: '', message: rowTexts.notFound },
        settle: matchFields.writeOff,
      },
    );
    if (!sent.ok) {
      const { invoiceId, settle, ...errors } = sent.errors;
      return showAgain(request, {
        errors: {
          ...errors,
          ...(invoiceId && { invoice: invoiceId }),
          ...(settle && { writeOff: settle }),
        },
        status: 400,
      });
    }
    try {
      const invoiceId = await findNamedInvoice(request, invoice);
      await match(request, { ...sent.output, invoiceId });
      return { redirectTo: pathOf(request), notice: 'row_matched' };
    } catch (error) {
      return showFailure(request, toFormError(error, sent.output));
    }
  },
};

/** Says that the row is the money of a payment that people have recorded. Nobody types into its form. */
export const linkAction: DashboardAction = {
  path: '/bank-statements/:id/rows/:row/payment',
  ability: 'payments:record',
  formPage,
  fields: ['payment'],
  handle: async (request) => {
    const { form } = request;
    try {
      await match(request, {
        paymentId: lineOf(form, 'payment'),
        allowDuplicateReference: form.get(allowField) === 'yes',
      });
      return { redirectTo: pathOf(request), notice: 'row_linked' };
    } catch (error) {
      return showFailure(request, toFormError(error));
    }
  },
};

/** Says that the row is the money of a refund. Nobody types into its form. */
export const returnAction: DashboardAction = {
  path: '/bank-statements/:id/rows/:row/refund',
  ability: 'payments:record',
  formPage,
  fields: ['refund'],
  handle: async (request) => {
    try {
      await match(request, { refundId: lineOf(request.form, 'refund') });
      return { redirectTo: pathOf(request), notice: 'row_returned' };
    } catch (error) {
      return showFailure(request, toFormError(error));
    }
  },
};

/** What the form gives up. Undefined: nothing. */
function settlementIn(form: URLSearchParams) {
  const [writeOff, reason] = ['writeOff', 'reason'].map((name) => form.get(name)?.trim() ?? null);
  const isKnown = reason === null || matchFields.reason.choices.some(([choice]) => choice === reason);
  // The schema refuses a reason that does not exist.
  return !writeOff && isKnown ? undefined : { writeOff: sentAmountOf(form, 'writeOff'), reason };
}

/** Matches the row, as `POST /api/statements/:id/rows/:rowId/match` does. */
async function match(request: ActionRequest, sent: MatchRow): Promise<void> {
  const { context, params } = request;
  const { id, row: rowId = '' } = params;
  const owner = requestOwnerOf(request);
  const read = () =>
    Promise.all([readMatch(owner, { id, rowId }, sent), sent.settle ? readSellerSummary(owner) : undefined]);
  const attempt = await formAttemptOf(request, 'statement.match', rowId, sent);
  await commitCreation(attempt, 'payment', read, async (principal, [found, seller]) => {
    const { moment, now } = context;
    return matchRowCommand({ ...principal, seller }, found, sent, moment, { now, force: isForced(request) });
  });
}

/** Says in the words of the form what the user can correct. */
function toFormError(error: unknown, { settle }: Pick<MatchRow, 'settle'> = {}): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, message } = error;
  if (code === 'reference_already_used') return new FieldsError({ reference: usedReferenceTexts.error });
  if (code === 'invalid_invoice') return new FieldsError({ invoice: message.replace('invoiceId', 'ID') });
  if (code === 'invalid_payment') return new FieldsError({ payment: rowTexts.notThisPayment });
  if (code === 'invalid_refund') return new FieldsError({ refund: rowTexts.notThisRefund });
  if (code === 'invalid_settle') return new FieldsError({ writeOff: matchFields.writeOff.tooMuch });
  if (refusesOver(error)) {
    const { isPaid } = matchFields.writeOff;
    const isLate = code === 'invoice_already_paid' && settle != null;
    return new FieldsError({ amount: overTexts.error, ...(isLate && { writeOff: isPaid }) });
  }
  if (code === 'invalid_amount') return new FieldsError({ amount: rowTexts.tooMuch });
  return error;
}

export const ignoreAction: DashboardAction = {
  path: '/bank-statements/:id/rows/:row/ignore',
  ability: 'payments:record',
  formPage,
  handle: async (request) => {
    const { id = '', row = '' } = request.params;
    const owner = requestOwnerOf(request);
    try {
      await commitAttempt(
        await formAttemptOf(request, 'statement.ignore', row, {}),
        () => readIgnore(owner, { id, rowId: row }),
        (read) => ignoreRowCommand(owner, read, request.context.moment),
      );
      return { redirectTo: pathOf(request), notice: 'row_ignored' };
    } catch (error) {
      return showFailure(request, error);
    }
  },
};

async function showFailure(request: ActionRequest, error: unknown): Promise<ActionResult | undefined> {
  const failure = failureOf(error, matchFields);
  return failure && showAgain(request, failure);
}

/** Shows the page of the row as it is now, with the values that the user typed. */
async function showAgain(request: ActionRequest, failure: Failure): Promise<ActionResult | undefined> {
  const shown = await findRow(request);
  if (!shown) return undefined;
  return { view: showRowPage(request.context, shown, { fields: request.form, failure }) };
}
