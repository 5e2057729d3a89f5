import type { Invoice, UpdateInvoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { type FailedForm, type Failure, failureOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardView } from '../definitions.ts';
import { linesOf, type ValidatedFields } from '../input/form-fields.ts';
import { metadataField } from '../input/metadata-field.ts';
import { isSameDueValue } from '../input/zoned-times.ts';
import type { NoticeKey } from '../texts.ts';
import type { ZoneContext } from '../times.ts';
import { forceField } from './consent-fields.ts';
import { invoiceFields, invoiceTexts, offlinePaymentFields } from './invoice-texts.ts';
import { addProductName } from './line-fields.ts';
import { toFormError } from './party-errors.ts';
import { partyFieldNames } from './read-invoice-form.ts';
import type { SentLines } from './read-lines.ts';

/** Whether the user goes on without the outcome of a payment. */
export const isForced = ({ context, form }: ActionRequest): boolean =>
  form.get(forceField) !== null && context.can('invoices:force');

/** Without the amount, because the form that records a payment has the one that the page showed. */
const changeTexts = {
  ...offlinePaymentFields,
  customerId: invoiceFields.customerId,
  metadata: metadataField,
};

type ShowForm = (
  context: DashboardContext,
  invoice: Invoice,
  shown: FailedForm<URLSearchParams>,
) => DashboardView | Promise<DashboardView>;

/** The failure of a form whose lines cannot be read. */
export const incomplete: Failure = { alert: invoiceTexts.incomplete, status: 400 };

/** Returns the errors of what decides the totals if the user asked for them. All other fields can still be empty then. */
export function failureOfStep(
  { step, lines }: SentLines,
  result: ValidatedFields<unknown>,
): Failure | undefined {
  if (!step || result.ok) return undefined;
  const isShown = (name: string) =>
    name === addProductName ||
    (step === 'compute' &&
      (name.startsWith('line') || partyFieldNames.includes(name) || (name === 'amount' && lines.length > 0)));
  const errors = Object.entries(result.errors).filter(([name]) => isShown(name));
  return errors.length > 0 ? { errors: Object.fromEntries(errors), status: 400 } : undefined;
}

/** Runs an attempt to change an invoice. Returns to the invoice, or shows the form again with the error. */
export async function changeInvoice<Result>(
  request: ActionRequest,
  show: ShowForm,
  notice: NoticeKey | ((result: Result) => NoticeKey),
  run: () => Promise<Result>,
): Promise<ActionResult | undefined> {
  try {
    const result = await run();
    return {
      redirectTo: request.context.url(`/invoices/${request.params.id}`),
      notice: typeof notice === 'function' ? notice(result) : notice,
    };
  } catch (error) {
    const failure = failureOf(toFormError(error), changeTexts, invoiceTexts.changed);
    return failure && showFormAgain(request, show, failure);
  }
}

/** Shows a form again, with the invoice as it is now and the values that the user typed. */
export async function showFormAgain<Failed extends Failure | undefined>(
  request: ActionRequest,
  show: (
    context: DashboardContext,
    invoice: Invoice,
    shown: { readonly fields: URLSearchParams; readonly failure: Failed },
  ) => DashboardView | Promise<DashboardView>,
  failure: Failed,
): Promise<ActionResult | undefined> {
  const { record: invoice } = await readInvoice(requestOwnerOf(request), request.params.id ?? '');
  return invoice && { view: await show(request.context, invoice, { fields: request.form, failure }) };
}

/**
 * Leaves out what the user did not change, although the form sends it in another form: browsers and `linesOf` change line
 * ends, and the form shows no seconds. `changedParties` returns the buyer and the GST.
 */
export function withoutSameValues<Body extends UpdateInvoice>(
  body: Body,
  invoice: Invoice | undefined,
  zone: ZoneContext,
): Omit<Body, 'amount' | 'description' | 'dueDate' | 'buyer' | 'gst'> &
  Pick<UpdateInvoice, 'amount' | 'description' | 'dueDate'> {
  const { description, dueDate, amount, buyer: _, gst: __, ...others } = body;
  if (!invoice) return { ...others, amount, description, dueDate };
  const shown = linesOf(new Map([['description', invoice.description]]), 'description');
  return {
    ...others,
    // The amount of an invoice does not contradict new lines.
    ...(amount !== invoice.amount && { amount }),
    ...(description !== shown && { description }),
    ...(!isSameDueValue(zone, dueDate, invoice.dueDate) && { dueDate }),
  };
}
