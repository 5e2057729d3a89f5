/** Carries out what the forms of invoices ask for, with the transitions and the commit of the API. */
import { parseDueDate } from '../../../base/due-date.ts';
import type { Invoice, UpdateInvoice } from '../../../domain/invoices/invoice.ts';
import {
  cancelInvoiceCommand,
  createInvoiceCommand,
  readInvoice,
  updateInvoiceCommand,
} from '../../../domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { createPaymentBody } from '../../../domain/payments/payment.ts';
import { createOfflinePaymentCommand } from '../../../domain/payments/payment-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  FieldsError,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
  type ShownForm,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { linesOf, optionalLineOf, type ValidatedFields, validateFields } from '../input/form-fields.ts';
import { metadataField, toMetadataUpdate } from '../input/metadata-field.ts';
import type { NoticeKey } from '../texts.ts';
import { chargesOfEdit, newInvoiceFields, readInvoiceEdit, readNewInvoice } from './invoice-form.ts';
import { invoiceFields, invoiceTexts } from './invoice-texts.ts';
import {
  forceField,
  showCancelForm,
  showEditForm,
  showNewInvoiceForm,
  showOfflinePaymentForm,
} from './invoice-views.ts';
import { lineFieldNames } from './line-fields.ts';
import { readSentLines, type SentLines } from './read-lines.ts';
import { totalFieldNames } from './total-fields.ts';

const create: DashboardAction = {
  path: '/invoices/new',
  ability: 'invoices:write',
  formPage: () => '/invoices/new',
  fields: ['customerId', 'amount', 'currency', 'description', 'dueDate', 'reference', 'metadata'],
  optionalFields: [...lineFieldNames, ...totalFieldNames, 'locale'],
  typed: {
    showAgain: async ({ context, form }, failure) => ({
      view: showNewInvoiceForm(context, { fields: form, failure }),
    }),
  },
  handle: async (request) => {
    const { context, form } = request;
    const lines = readSentLines(form);
    if (!lines) return { view: showNewInvoiceForm(context, { fields: form, failure: incomplete }) };
    const { fields, step } = lines;
    const { result, totals } = readNewInvoice(form, lines, context.moment.account);
    const showAgain = (failure?: Failure) => ({
      view: showNewInvoiceForm(context, { fields, totals, failure }),
    });
    if (step) return showAgain(failureOfStep(lines, result));
    if (!result.ok) return showAgain({ errors: result.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'invoice.create', '', result.output);
    try {
      const { answer } = await commitCreation(
        attempt,
        'invoice',
        async () => undefined,
        (principal) => createInvoiceCommand(principal, result.output, context.moment.account),
      );
      return { redirectTo: context.url(`/invoices/${answer.id}`), notice: 'invoice_created' };
    } catch (error) {
      const failure = failureOf(error, newInvoiceFields);
      return failure && showAgain(failure);
    }
  },
};

const update: DashboardAction = {
  path: '/invoices/:id/edit',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}/edit`,
  fields: ['amount', 'description', 'dueDate', 'metadata', 'seen'],
  optionalFields: [...lineFieldNames, ...totalFieldNames, 'locale'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showEditForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const lines = readSentLines(form);
    if (!lines) return showFormAgain(request, showEditForm, incomplete);
    const sent = readInvoiceEdit(form, lines);
    const show = (at: DashboardContext, invoice: Invoice, { failure }: Pick<ShownForm, 'failure'>) => {
      const { result, totals } = chargesOfEdit(invoice, lines, sent);
      const shown = failure ?? (lines.step && failureOfStep(lines, result));
      return showEditForm(at, invoice, { fields: lines.fields, totals, failure: shown });
    };
    if (lines.step) return showFormAgain(request, show, undefined);
    if (!sent.ok) return showFormAgain(request, show, { errors: sent.errors, status: 400 });
    const { body, metadata, seen } = sent.output;
    return changeInvoice(request, show, 'invoice_updated', async () =>
      commitAttempt(
        await formAttemptOf(request, 'invoice.update', id, sent.output),
        () => readInvoice(requestOwnerOf(request), id),
        (invoice) =>
          voidCheckoutFirst(
            updateInvoiceCommand(
              invoice,
              {
                ...withoutSameValues(body, invoice.record),
                metadata: toMetadataUpdate(invoice.record?.metadata, metadata),
              },
              context.moment.account,
              (present) => {
                if (present.status !== 'pending') return;
                if (present.objectVersion !== seen) throw new RecordChangedError();
                const { result } = chargesOfEdit(present, lines, sent);
                if (!result.ok) throw new FieldsError(result.errors);
              },
            ),
            context.now,
            isForced(request),
          ),
      ),
    );
  },
};

const cancel: DashboardAction = {
  path: '/invoices/:id/cancel',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}/cancel`,
  handle: async (request) => {
    const id = request.params.id ?? '';
    return changeInvoice(request, showCancelForm, 'invoice_cancelled', async () =>
      commitAttempt(
        await formAttemptOf(request, 'invoice.cancel', id, { force: isForced(request) }),
        () => readInvoice(requestOwnerOf(request), id),
        (invoice) =>
          voidCheckoutFirst(
            cancelInvoiceCommand(invoice, request.context.moment.account),
            request.context.now,
            isForced(request),
          ),
      ),
    );
  },
};

const recordPayment: DashboardAction = {
  path: '/invoices/:id/payment',
  ability: 'payments:record',
  formPage: ({ id }) => `/invoices/${id}/payment`,
  fields: ['reference', 'amount'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showOfflinePaymentForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const input = {
      invoiceId: id,
      method: 'offline',
      reference: optionalLineOf(form, 'reference'),
      amount: Number(form.get('amount')),
    };
    const sent = validateFields(createPaymentBody, input, invoiceFields);
    if (!sent.ok) return showFormAgain(request, showOfflinePaymentForm, { errors: sent.errors, status: 400 });
    const { amount = undefined, reference = null } = sent.output;
    const attempt = await formAttemptOf(request, 'payment.create', id, sent.output);
    return changeInvoice(request, showOfflinePaymentForm, 'payment_recorded', () =>
      commitCreation(
        attempt,
        'payment',
        () => readInvoice(requestOwnerOf(request), id),
        (principal, invoice) =>
          voidCheckoutFirst(
            createOfflinePaymentCommand(
              { principal, invoice, clock: context.moment },
              { amount: amount ?? undefined, reference },
            ),
            context.now,
            isForced(request),
          ),
      ),
    );
  },
};

export const invoiceActions: readonly DashboardAction[] = [create, update, cancel, recordPayment];

/** Whether the user goes on without the outcome of a payment. */
const isForced = ({ context, form }: ActionRequest): boolean =>
  form.get(forceField) !== null && context.can('invoices:force');

/** Without the amount, because the form that records a payment has the one that the page showed. */
const changeTexts = { reference: invoiceFields.reference, metadata: metadataField };

type ShowForm = (
  context: DashboardContext,
  invoice: Invoice,
  shown: FailedForm<URLSearchParams>,
) => DashboardView;

const incomplete: Failure = { alert: invoiceTexts.incomplete, status: 400 };

/** Returns the errors of the lines if the user asked for their totals. All other fields can still be empty then. */
function failureOfStep({ step, lines }: SentLines, result: ValidatedFields<unknown>): Failure | undefined {
  if (step !== 'compute' || result.ok) return undefined;
  const isShown = (name: string) => name.startsWith('line') || (name === 'amount' && lines.length > 0);
  const errors = Object.entries(result.errors).filter(([name]) => isShown(name));
  return errors.length > 0 ? { errors: Object.fromEntries(errors), status: 400 } : undefined;
}

/** Runs an attempt to change an invoice. Returns to the invoice, or shows the form again with the error. */
async function changeInvoice(
  request: ActionRequest,
  show: ShowForm,
  notice: NoticeKey,
  run: () => Promise<unknown>,
): Promise<ActionResult | undefined> {
  try {
    await run();
    return { redirectTo: request.context.url(`/invoices/${request.params.id}`), notice };
  } catch (error) {
    const failure = failureOf(error, changeTexts, invoiceTexts.changed);
    return failure && showFormAgain(request, show, failure);
  }
}

/** Shows a form again, with the invoice as it is now and the values that the user typed. */
async function showFormAgain<Failed extends Failure | undefined>(
  request: ActionRequest,
  show: (
    context: DashboardContext,
    invoice: Invoice,
    shown: { readonly fields: URLSearchParams; readonly failure: Failed },
  ) => DashboardView,
  failure: Failed,
): Promise<ActionResult | undefined> {
  const { record: invoice } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
  return invoice && { view: show(request.context, invoice, { fields: request.form, failure }) };
}

/**
 * Leaves out what the user did not change, although the form sends it in another form: browsers and `linesOf` change line
 * ends, and the form shows no seconds.
 */
function withoutSameValues(body: UpdateInvoice, invoice: Invoice | undefined): UpdateInvoice {
  if (!invoice) return body;
  const { description, dueDate, amount, ...others } = body;
  const shown = linesOf(new Map([['description', invoice.description]]), 'description');
  const isSameTime = dueDate !== undefined && minuteOf(dueDate) === minuteOf(invoice.dueDate);
  return {
    ...others,
    // The amount of an invoice does not contradict new lines.
    ...(amount !== invoice.amount && { amount }),
    ...(description !== shown && { description }),
    ...(!isSameTime && { dueDate }),
  };
}

/** Returns the minutes from 1970 to a due date that is valid. */
const minuteOf = (dueDate: string): number => Math.floor((parseDueDate(dueDate)?.instant ?? 0) / 60_000);
