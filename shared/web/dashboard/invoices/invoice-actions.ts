/** Carries out what the forms of invoices ask for, with the transitions and the commit of the API. */
import { currencies, formatAmount } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { withOwnTaxes } from '../../../domain/accounts/own-taxes-store.ts';
import type { Customer } from '../../../domain/customers/customer.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import {
  createInvoiceCommand,
  prepareInvoice,
  readCustomerOfChange,
  readInvoice,
  readTaxedCustomer,
  replaceInvoiceCommand,
  updateInvoiceCommand,
} from '../../../domain/invoices/invoice-store.ts';
import { amountPaidOf } from '../../../domain/invoices/received-money.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { createInvoiceWithCreditCommand } from '../../../domain/payments/invoice-with-credit.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type Failure,
  FieldsError,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
  type ShownForm,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, DashboardAction } from '../definitions.ts';
import { lineOf } from '../input/form-fields.ts';
import { toMetadataUpdate } from '../input/metadata-field.ts';
import { inAccountZone } from '../input/zoned-times.ts';
import { allowAddressOfInvoice } from './allow-address.ts';
import { cancelInvoice } from './cancel-invoice.ts';
import {
  changeInvoice,
  failureOfStep,
  incomplete,
  isForced,
  showFormAgain,
  withoutSameValues,
} from './change-invoice.ts';
import { confirmClaim, rejectClaim } from './claim-actions.ts';
import { saveNewDraft } from './draft-actions.ts';
import { readInvoiceChoices } from './invoice-choices.ts';
import { invoiceTexts } from './invoice-texts.ts';
import { showEditForm, showNewInvoiceForm, showReplaceInvoiceForm } from './invoice-views.ts';
import { lineFieldNames } from './line-fields.ts';
import { recordPayment } from './offline-payment.ts';
import { toFormError } from './party-errors.ts';
import { pauseReminders } from './pause-reminders.ts';
import {
  changedParties,
  chargesOfEdit,
  newInvoiceFields,
  partyFieldNames,
  readInvoiceEdit,
  readNewInvoice,
  readReplacement,
} from './read-invoice-form.ts';
import { type LineChoices, readSentLines, type SentLines } from './read-lines.ts';
import { selectedInvoicesActions } from './selected-invoices.ts';
import { sendInvoice } from './send-invoice.ts';
import { totalFieldNames } from './total-fields.ts';

const create: DashboardAction = {
  path: '/invoices/new',
  ability: 'invoices:write',
  formPage: () => '/invoices/new',
  fields: ['customerId', 'amount', 'currency', 'description', 'dueDate', 'reference', 'metadata'],
  optionalFields: [
    ...partyFieldNames,
    ...lineFieldNames,
    ...totalFieldNames,
    ...['locale', 'acceptPartial', 'useCredit'],
  ],
  typed: {
    showAgain: async ({ context, form }, failure) => ({
      view: await showNewInvoiceForm(context, { fields: form, failure }),
    }),
  },
  handle: async (request) => {
    const { context, form } = request;
    const currency = currencies.find((each) => each === form.get('currency'));
    const today = context.moment.account;
    const lines = await readSentLines(
      form,
      async () => ({ ...(await readInvoiceChoices(context)), currency }),
      (body) => withOwnTaxes(context.account, body, today),
    );
    if (!lines) return { view: await showNewInvoiceForm(context, { fields: form, failure: incomplete }) };
    const { fields, step } = lines;
    const [sellerState, customer] = await Promise.all([
      sellerStateFor(lines, request),
      customerFor(lines, request),
    ]);
    const { result, totals } = readNewInvoice(inAccountZone(form, context), lines, context.moment.account, {
      sellerState,
      customer,
    });
    const showAgain = async (failure?: Failure) => ({
      view: await showNewInvoiceForm(context, { fields, totals, failure }),
    });
    if (step === 'draft') return saveNewDraft(request, lines, showAgain);
    if (step) return showAgain(failureOfStep(lines, result));
    if (!result.ok) return showAgain({ errors: result.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'invoice.create', '', result.output);
    try {
      const { answer } = await commitCreation(
        attempt,
        'invoice',
        async () => undefined,
        async (principal) => {
          const now = context.moment.account;
          if (!result.output.useCredit) return createInvoiceCommand(principal, result.output, now, customer);
          return createInvoiceWithCreditCommand(
            await prepareInvoice(principal, result.output, now, customer),
            now,
          );
        },
      );
      return { redirectTo: context.url(`/invoices/${answer.id}`), notice: 'invoice_created' };
    } catch (error) {
      const failure = failureOf(toFormError(error), newInvoiceFields);
      return failure && showAgain(failure);
    }
  },
};

const update: DashboardAction = {
  path: '/invoices/:id/edit',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}/edit`,
  fields: ['amount', 'description', 'dueDate', 'metadata', 'seen'],
  optionalFields: [...partyFieldNames, ...lineFieldNames, ...totalFieldNames, 'locale', 'acceptPartial'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showEditForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const lines = await readSentLines(
      form,
      () => choicesFor(request),
      async (body) => withOwnTaxes(context.account, body, await createdAtOf(request)),
    );
    if (!lines) return showFormAgain(request, showEditForm, incomplete);
    const sent = readInvoiceEdit(inAccountZone(form, context), lines);
    const customer = await customerOfChange(lines, request, { isReplaced: false });
    const show = (at: DashboardContext, invoice: Invoice, { failure }: Pick<ShownForm, 'failure'>) => {
      const { result, totals } = chargesOfEdit(invoice, form, lines, sent, customer);
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
                ...withoutSameValues(body, invoice.record, context),
                ...(invoice.record && changedParties(invoice.record, form, lines)),
                metadata: toMetadataUpdate(invoice.record?.metadata, metadata),
              },
              context.moment.account,
              {
                customer,
                require: (present) => {
                  if (present.status !== 'pending') return;
                  if (present.objectVersion !== seen) throw new RecordChangedError();
                  const paid = amountPaidOf(present);
                  if (body.amount !== undefined && body.amount < paid)
                    throw new FieldsError({
                      amount: invoiceTexts.belowPaid(formatAmount(paid, present.currency)),
                    });
                  const { result } = chargesOfEdit(present, form, lines, sent, customer);
                  if (!result.ok) throw new FieldsError(result.errors);
                },
              },
            ),
            context.now,
            isForced(request),
          ),
      ),
    );
  },
};

const replace: DashboardAction = {
  path: '/invoices/:id/replace',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}/replace`,
  fields: ['customerId', 'amount', 'description', 'dueDate', 'metadata', 'seen'],
  optionalFields: [...partyFieldNames, ...lineFieldNames, ...totalFieldNames, 'locale', 'acceptPartial'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showReplaceInvoiceForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const today = context.moment.account;
    const lines = await readSentLines(
      form,
      () => choicesFor(request),
      (body) => withOwnTaxes(context.account, body, today),
    );
    if (!lines) return showFormAgain(request, showReplaceInvoiceForm, incomplete);
    const sent = readReplacement(inAccountZone(form, context), lines);
    const customer = await customerOfChange(lines, request, { isReplaced: true });
    const show = (at: DashboardContext, invoice: Invoice, { failure }: Pick<ShownForm, 'failure'>) => {
      const { result, totals } = chargesOfEdit({ ...invoice, createdAt: today }, form, lines, sent, customer);
      const shown = failure ?? (lines.step && failureOfStep(lines, result));
      return showReplaceInvoiceForm(at, invoice, { fields: lines.fields, totals, failure: shown });
    };
    if (lines.step) return showFormAgain(request, show, undefined);
    if (!sent.ok) return showFormAgain(request, show, { errors: sent.errors, status: 400 });
    const { body, metadata, seen } = sent.output;
    let replacement = id;
    const result = await changeInvoice(request, show, 'invoice_replaced', async () => {
      const { answer } = await commitCreation(
        await formAttemptOf(request, 'invoice.replace', id, sent.output),
        'invoice',
        () => readInvoice(requestOwnerOf(request), id),
        async (principal, invoice) => {
          const changes = {
            ...withoutSameValues(body, invoice.record, context),
            ...(invoice.record && changedParties(invoice.record, form, lines, body.customerId)),
            metadata: toMetadataUpdate(invoice.record?.metadata, metadata),
          };
          const require = (present: Invoice) => {
            if (!isPayable(present)) return;
            if (present.objectVersion !== seen) throw new RecordChangedError();
            const at = { ...present, createdAt: today };
            const { result: charged } = chargesOfEdit(at, form, lines, sent, customer);
            if (!charged.ok) throw new FieldsError(charged.errors);
          };
          const command = await replaceInvoiceCommand(principal, invoice, changes, today, {
            customer,
            require,
          });
          return voidCheckoutFirst(command, context.now, isForced(request));
        },
      );
      replacement = answer.id;
    });
    return result && 'redirectTo' in result
      ? { ...result, redirectTo: context.url(`/invoices/${replacement}`) }
      : result;
  },
};

/** Those of selected invoices are first, because `selected` is not an id. */
export const invoiceActions: readonly DashboardAction[] = [
  ...selectedInvoicesActions,
  create,
  update,
  pauseReminders,
  replace,
  cancelInvoice,
  recordPayment,
  sendInvoice,
  allowAddressOfInvoice,
  confirmClaim,
  rejectClaim,
];

/** Reads what new lines of an existing invoice need. */
async function choicesFor(request: ActionRequest): Promise<LineChoices> {
  const [choices, { record }] = await Promise.all([
    readInvoiceChoices(request.context),
    readInvoice(requestOwnerOf(request), request.params.id ?? ''),
  ]);
  return { ...choices, currency: record?.currency };
}

/** Returns when the invoice of a form was made. Its day decides the rates. */
async function createdAtOf(request: ActionRequest): Promise<Instant> {
  const { record } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
  return record?.createdAt ?? request.context.moment.account;
}

/** Returns the customer of the customers API that a changed invoice names, as `readCustomerOfChange`. */
async function customerOfChange(
  sent: SentLines,
  request: ActionRequest,
  options: Parameters<typeof readCustomerOfChange>[2],
): Promise<Customer | undefined> {
  const { record } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
  const customerId = lineOf(request.form, 'customerId') || undefined;
  const lines = sent.lines.map(({ line }) => line);
  return readCustomerOfChange(record, { customerId, lines }, options);
}

/** Returns the customer of the customers API that a form names, if a line has a tax of India. */
function customerFor({ lines }: SentLines, request: ActionRequest): Promise<Customer | undefined> {
  const customerId = lineOf(request.form, 'customerId');
  const body = { customerId, lines: lines.map(({ line }) => line) };
  return readTaxedCustomer(requestOwnerOf(request), body);
}

/** Returns the GST code of the seller's state in India, if a line has a tax of India. */
async function sellerStateFor({ lines }: SentLines, request: ActionRequest): Promise<string | undefined> {
  const isIndian = lines.some(({ line: { tax } }) => typeof tax === 'string' && tax.startsWith('in_gst'));
  return isIndian ? (await readSellerSummary(requestOwnerOf(request)))?.state : undefined;
}
