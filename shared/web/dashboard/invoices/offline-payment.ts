/** The form that records a payment received outside the service, and what sending it does. */
import { html } from 'hono/html';
import { ApiError } from '../../../base/errors.ts';
import { toMajorUnits } from '../../../base/money.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { amountDueOf, isCredited } from '../../../domain/invoices/received-money.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { voidCheckoutFirst } from '../../../domain/payments/checkouts/void-checkout.ts';
import { createCreditPaymentCommand } from '../../../domain/payments/pay-with-credit.ts';
import { refusesOver } from '../../../domain/payments/payable-amount.ts';
import { createPaymentBody, offlineDetails } from '../../../domain/payments/payment.ts';
import { createOfflinePaymentCommand } from '../../../domain/payments/payment-store.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import type { SellerSummary } from '../../../store/account-state.ts';
import type { Markup } from '../../pages/markup.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type FailedForm, FieldsError, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, DashboardAction, DashboardPage, DashboardView } from '../definitions.ts';
import { renderField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { linesOf, type SentFields, sentAmountOf, validateFields } from '../input/form-fields.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import type { NoticeKey } from '../texts.ts';
import { changeInvoice, isForced, showFormAgain } from './change-invoice.ts';
import { acceptOverField, allowField, forceOf, renderAcceptOver, renderAllow } from './consent-fields.ts';
import { showInvoiceSummary } from './invoice-detail.ts';
import {
  invoiceTexts,
  moneyFromField,
  offlinePaymentFields,
  overTexts,
  partAmountField,
  restField,
  usedReferenceTexts,
} from './invoice-texts.ts';
import { renderBack } from './invoice-views.ts';

const fieldNames = Object.keys(offlinePaymentFields) as (keyof typeof offlinePaymentFields)[];
/** A bundler leaves out an unused action only if none of its values spreads another one. */
const sentFields = /* @__PURE__ */ ['amount'].concat(fieldNames);

/** The hidden amount that is due. */
const dueField = 'due';

export const offlinePaymentPage: DashboardPage = {
  path: '/invoices/:id/payment',
  ability: 'payments:record',
  handle: async (request) => {
    const owner = requestOwnerOf(request);
    const [{ record: invoice }, seller] = await Promise.all([
      readInvoice(owner, request.params.id ?? ''),
      readSellerSummary(owner),
    ]);
    return invoice && showForm(request.context, invoice, seller);
  },
};

async function showFailed(
  context: DashboardContext,
  invoice: Invoice,
  failed: FailedForm,
): Promise<DashboardView> {
  const seller = await readSellerSummary({ account: context.account, mode: context.mode });
  return showForm(context, invoice, seller, failed);
}

/** Shows the form. It contains the amount that it shows. */
async function showForm(
  context: DashboardContext,
  invoice: Invoice,
  seller: SellerSummary | undefined,
  failed?: FailedForm,
): Promise<DashboardView> {
  if (!takesMoney(invoice)) return showTakesNone(context, invoice, failed?.failure.status);
  const forced = forceOf(context, failed?.failure);
  const isPaid = invoice.status === 'paid';
  const submit = isPaid
    ? invoiceTexts.recordMore
    : forced.isOffered
      ? invoiceTexts.markPaidAnyway
      : invoiceTexts.markPaid;
  const fields = fieldNames.map((name) =>
    renderField({
      name,
      ...offlinePaymentFields[name],
      value: failed?.fields.get(name) ?? '',
      error: failed?.failure.errors?.[name],
    }),
  );
  const isUsed = failed?.failure.errors?.reference === usedReferenceTexts.error;
  const allow = isUsed && renderAllow(usedReferenceTexts.allow);
  const from = renderSelect({
    name: 'from',
    label: moneyFromField.label,
    hint: moneyFromField.hint,
    choices: moneyFromField.choices,
    value: failed?.fields.get('from') ?? moneyFromField.choices[0][0],
    error: failed?.failure.errors?.from,
  });
  const content = html`${!isPaid && from}${renderAmounts(invoice, seller?.writeOffPercent !== undefined, failed)}${fields}${allow || ''}${forced.content}`;
  return {
    title: isPaid ? invoiceTexts.recordMore : invoiceTexts.markPaidTitle,
    section: 'invoices',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${await showInvoiceSummary(context, invoice)}<p>${isPaid ? invoiceTexts.recordMoreHint : invoiceTexts.markPaidHint}</p>
${renderForm(context, { action: context.url(`/invoices/${invoice.id}/payment`), submit, content })}${renderBack(context, invoice)}</section>`,
  };
}

/** Whether an invoice is open, or paid and not replaced: more money for it is credit of the customer. */
const takesMoney = (invoice: Invoice): boolean =>
  isPayable(invoice) || (invoice.status === 'paid' && !isCredited(invoice));

/** Shows, in the place of the form, that an invoice takes no payment, and which one replaces it. */
async function showTakesNone(
  context: DashboardContext,
  invoice: Invoice,
  status: DashboardView['status'],
): Promise<DashboardView> {
  const { replacedBy } = invoice;
  const other =
    replacedBy !== undefined &&
    html`<p>${renderButtonLink(context.url(`/invoices/${replacedBy}`), invoiceTexts.recordForOther)}</p>`;
  return {
    title: invoiceTexts.markPaidTitle,
    section: 'invoices',
    status: status ?? 200,
    content: html`<section class="card">${await showInvoiceSummary(context, invoice)}<p>${other ? invoiceTexts.takesNoneReplaced : invoiceTexts.takesNone}</p>
${other}${renderBack(context, invoice)}</section>`,
  };
}

/** Renders the amount, and what happens to the rest. The form of a paid invoice says itself that the money is more than what is due. */
function renderAmounts(invoice: Invoice, writesOff: boolean, failed: FailedForm | undefined): Markup {
  const isPaid = invoice.status === 'paid';
  const due = isPaid ? '' : toMajorUnits(amountDueOf(invoice));
  const value = failed?.fields.get('amount') ?? due;
  const error = failed?.failure.errors?.amount;
  const label = `${partAmountField.label} (${invoice.currency})`;
  const consent = isPaid ? renderHiddenInput(acceptOverField, 'yes') : renderAcceptOver(failed);
  const amount = html`${renderField({ name: 'amount', label, hint: isPaid ? undefined : partAmountField.hint, value, error })}${consent}`;
  if (!writesOff || isPaid) return amount;
  const { choices } = restField;
  const rest = renderSelect({
    name: 'rest',
    label: restField.label,
    choices,
    value: failed?.fields.get('rest') ?? choices[0][0],
    error: failed?.failure.errors?.rest,
  });
  return html`${amount}${rest}${renderHiddenInput(dueField, due)}`;
}

export const recordPayment: DashboardAction = {
  path: '/invoices/:id/payment',
  ability: 'payments:record',
  formPage: ({ id }) => `/invoices/${id}/payment`,
  fields: sentFields,
  optionalFields: ['rest', dueField, 'from'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showFailed, failure),
  },
  handle: async (request) => {
    const { form } = request;
    const id = request.params.id ?? '';
    const from = form.get('from') ?? moneyFromField.choices[0][0];
    if (!moneyFromField.choices.some(([value]) => value === from))
      return showFormAgain(request, showFailed, { errors: { from: moneyFromField.unknown }, status: 400 });
    if (from === 'credit')
      return changeInvoice(request, showFailed, 'payment_recorded', () => payFromCredit(request, id));
    const input = {
      invoiceId: id,
      method: 'offline',
      amount: sentAmountOf(form, 'amount'),
      settle: settlementIn(form),
      allowDuplicateReference: form.get(allowField) === 'yes',
      acceptOver: form.get(acceptOverField) === 'yes',
      ...Object.fromEntries(fieldNames.map((name) => [name, linesOf(form, name) || undefined])),
    };
    const sent = validateFields(createPaymentBody, input, {
      ...offlinePaymentFields,
      amount: partAmountField,
      settle: { label: restField.label, message: restField.unknown },
    });
    if (!sent.ok) {
      const { settle, ...errors } = sent.errors;
      const failure = { errors: { ...errors, ...(settle && { rest: settle }) }, status: 400 } as const;
      return showFormAgain(request, showFailed, failure);
    }
    const attempt = await formAttemptOf(request, 'payment.create', id, sent.output);
    return changeInvoice(request, showFailed, noticeOf, () =>
      record(request, attempt, offlineDetails(sent.output)),
    );
  },
};

/** Returns what the page of the invoice says about a recorded payment. */
const noticeOf = ({ answer: { amount, amountOver } }: Awaited<ReturnType<typeof record>>): NoticeKey =>
  amountOver === amount ? 'payment_is_credit' : 'payment_recorded';

/** Pays with credit of the customer, as much as possible. @throws FieldsError if there is none */
async function payFromCredit(request: ActionRequest, id: string): Promise<unknown> {
  const attempt = await formAttemptOf(request, 'payment.create', id, { method: 'credit' });
  const { moment: clock, now } = request.context;
  try {
    return await commitCreation(
      attempt,
      'payment',
      () => readInvoice(attempt.owner, id),
      async (principal, invoice) => {
        const sent = { amount: undefined, creditFrom: undefined };
        const command = await createCreditPaymentCommand({ principal, invoice, clock }, sent);
        return voidCheckoutFirst(command, now, isForced(request));
      },
    );
  } catch (error) {
    if (error instanceof ApiError && error.code === 'no_credit')
      throw new FieldsError({ from: moneyFromField.none });
    throw error;
  }
}

/** What the form gives up: what the amount leaves of what was due. Undefined: nothing. */
function settlementIn(form: SentFields) {
  const [[due]] = restField.choices;
  const rest = form.get('rest') ?? due;
  const writeOff = sentAmountOf(form, dueField) - sentAmountOf(form, 'amount');
  const isKnown = restField.choices.some(([choice]) => choice === rest);
  // The schema refuses a reason that does not exist.
  return rest === due || (isKnown && writeOff <= 0) ? undefined : { writeOff, reason: rest };
}

/** Records the payment. @throws FieldsError for what the user can correct in the form */
async function record(
  request: ActionRequest,
  attempt: Parameters<typeof commitCreation>[0],
  details: ReturnType<typeof offlineDetails>,
) {
  const { context, form, params } = request;
  const { owner } = attempt;
  const writesOff = form.get(dueField) !== null;
  let takesParts = false;
  let percent = 0;
  const read = () =>
    Promise.all([readInvoice(owner, params.id ?? ''), writesOff ? readSellerSummary(owner) : undefined]);
  try {
    return await commitCreation(attempt, 'payment', read, async (principal, [invoice, seller]) => {
      takesParts = invoice.record?.acceptPartial === true;
      percent = seller?.writeOffPercent ?? 0;
      const known = { principal: { ...principal, seller }, invoice, clock: context.moment };
      const offline = { ...known, reservesWithoutBank: true };
      const command = await createOfflinePaymentCommand(offline, details);
      return voidCheckoutFirst(command, context.now, isForced(request));
    });
  } catch (error) {
    const code = error instanceof ApiError ? error.code : undefined;
    if (code === 'reference_already_used') throw new FieldsError({ reference: usedReferenceTexts.error });
    if (code === 'invalid_settle') throw new FieldsError({ rest: restField.tooMuch(percent) });
    if (code === 'invoice_already_paid' && refusesOver(error))
      throw new FieldsError({ amount: overTexts.isPaid });
    if (code === 'invalid_amount' && refusesOver(error)) throw new FieldsError({ amount: overTexts.error });
    if (code === 'invalid_amount' && takesParts) throw new FieldsError({ amount: partAmountField.tooMany });
    if (code === 'invalid_amount' && writesOff && !details.settle)
      throw new FieldsError({ rest: restField.notDue });
    if (code === 'invalid_amount' && !details.settle)
      throw new FieldsError({ amount: partAmountField.whole });
    throw error;
  }
}
