/** Renders and reads the forms with which a user creates and changes an invoice. */
import { html } from 'hono/html';
import { localeNames, locales } from '../../../base/locales.ts';
import { currencies, toMajorUnits } from '../../../base/money.ts';
import type { AccountTime } from '../../../base/time.ts';
import type { Filled } from '../../../domain/charges/line.ts';
import type { Customer } from '../../../domain/customers/customer.ts';
import { buyerOfCustomer } from '../../../domain/customers/customer-buyer.ts';
import {
  type CreateInvoice,
  createInvoiceBody,
  type Invoice,
  type ReplaceInvoice,
  replaceInvoiceBody,
  type UpdateInvoice,
  updateInvoiceBody,
} from '../../../domain/invoices/invoice.ts';
import { changedCharges, newCharges } from '../../../domain/invoices/invoice-charges.ts';
import type { Markup } from '../../pages/markup.ts';
import { type ShownForm, seenVersion } from '../attempts/failed-attempt.ts';
import { renderField, renderHiddenInput, renderSelect, toDateTimeValue } from '../forms.ts';
import {
  type FieldErrors,
  lineOf,
  linesOf,
  optionalLineOf,
  type SentFields,
  sentAmountOf,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import {
  metadataField,
  metadataLines,
  renderMetadataField,
  sentMetadata,
  validateWithMetadata,
} from '../input/metadata-field.ts';
import { dueTimeField, invoiceFields, lineTexts, localeField, ownReferenceField } from './invoice-texts.ts';
import { firstLinesOf, renderLineFields, type ShownTotals, withLines } from './line-fields.ts';
import { chargeLines, type SentLines } from './read-lines.ts';
import { firstTotalOf } from './total-fields.ts';

/** How the form of a new invoice names its fields in errors. */
export const newInvoiceFields = {
  ...invoiceFields,
  reference: ownReferenceField,
  locale: localeField,
  metadata: metadataField,
};

/** How the form of a changed invoice names its fields in errors. */
const editedInvoiceFields = { ...invoiceFields, locale: localeField, metadata: metadataField };

/**
 * Validates the fields of a new invoice, as the API does.
 * @param lines the lines of the same form
 * @param at the time of the account, whose day decides the tax rates
 * @param parties the GST code of the seller's state in India, and the customer of the customers API that the form names
 * @returns what the lines come to, also if another field is wrong
 */
export function readNewInvoice(
  fields: SentFields,
  lines: SentLines,
  at: AccountTime,
  {
    sellerState,
    customer,
  }: { readonly sellerState: string | undefined; readonly customer: Customer | undefined },
): ReadForm<CreateInvoice> {
  const input = {
    customerId: lineOf(fields, 'customerId'),
    ...sentCharges(fields, lines),
    currency: lineOf(fields, 'currency'),
    description: linesOf(fields, 'description'),
    dueDate: optionalLineOf(fields, 'dueDate'),
    reference: optionalLineOf(fields, 'reference'),
    locale: optionalLineOf(fields, 'locale'),
  };
  const result = validateWithMetadata(sentMetadata(fields), (metadata) =>
    withLineErrors(
      lines,
      withWholeLines(validateFields(createInvoiceBody, { ...input, metadata }, newInvoiceFields)),
    ),
  );
  const currency = currencies.find((each) => each === input.currency);
  if (lines.lines.length === 0 || hasErrors(lines) || !currency) return { result };
  const compute = () =>
    newCharges({ lines: lines.lines.map(({ line }) => line), ...lines.total, currency }, at, {
      sellerState,
      customerId: input.customerId,
      buyer: undefined,
      customer: customer && buyerOfCustomer(customer),
    });
  const { charged, errors } = chargeLines(lines, compute, currency, input.amount);
  return { result: withErrors(result, errors), totals: charged && { ...charged, currency } };
}

/** What a form asks for, and what its lines come to if that is known. */
interface ReadForm<Output> {
  readonly result: ValidatedFields<Output>;
  readonly totals?: ShownTotals | undefined;
}

/** Returns the amount and the lines of a form. With lines, the amount can be empty. */
function sentCharges(fields: SentFields, lines: SentLines) {
  const hasLines = lines.lines.length > 0 || hasErrors(lines);
  const isEmpty = hasLines && lineOf(fields, 'amount') === '';
  return {
    amount: isEmpty ? undefined : sentAmountOf(fields, 'amount'),
    ...(hasLines && { lines: lines.lines.map(({ line }) => line), ...lines.total }),
  };
}

/** The kind of prices of an invoice cannot be removed. */
const updatedTotal = ({ total: { prices, ...others } }: SentLines) => ({
  ...others,
  prices: prices ?? undefined,
});

/** A line of a form says everything itself, also if it names a product. */
const withWholeLines = <Body>(result: ValidatedFields<Body>) => result as ValidatedFields<Filled<Body>>;

const hasErrors = ({ errors }: SentLines) => Object.keys(errors).length > 0;

/** Replaces the error that the API has for all lines by those of their fields. */
function withLineErrors<Output>(
  { errors }: SentLines,
  result: ValidatedFields<Output>,
): ValidatedFields<Output> {
  if (result.ok) return withErrors(result, errors);
  const { lines: _, ...others } = result.errors;
  return { ok: false, errors: { ...others, ...errors } };
}

function withErrors<Output>(result: ValidatedFields<Output>, errors: FieldErrors): ValidatedFields<Output> {
  if (Object.keys(errors).length === 0) return result;
  return { ok: false, errors: { ...(!result.ok && result.errors), ...errors } };
}

/** The change that a form asks for, and the version of the invoice that it showed. */
export interface InvoiceEdit<Body = UpdateInvoice> {
  readonly body: Body;
  /** All texts of the field. Undefined if the form does not have it. */
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly seen: number;
}

/** Validates the fields of a changed invoice, as the API does. `chargesOfEdit` judges the lines together with the invoice. */
export const readInvoiceEdit = (fields: SentFields, lines: SentLines): ValidatedFields<InvoiceEdit> =>
  readEdit(fields, lines, (input) =>
    withWholeLines(validateFields(updateInvoiceBody, input, editedInvoiceFields)),
  );

/** Does the same for an invoice that replaces another one. Its customer can be another one. */
export const readReplacement = (
  fields: SentFields,
  lines: SentLines,
): ValidatedFields<InvoiceEdit<ReplaceInvoice>> =>
  readEdit(fields, lines, (input) => {
    const customerId = lineOf(fields, 'customerId');
    return withWholeLines(validateFields(replaceInvoiceBody, { customerId, ...input }, editedInvoiceFields));
  });

function readEdit<Body>(
  fields: SentFields,
  lines: SentLines,
  validate: (input: object) => ValidatedFields<Body>,
): ValidatedFields<InvoiceEdit<Body>> {
  const input = {
    ...sentCharges(fields, lines),
    description: linesOf(fields, 'description'),
    dueDate: lineOf(fields, 'dueDate'),
    ...(fields.get('locale') != null && { locale: optionalLineOf(fields, 'locale') ?? null }),
  };
  const result = validateWithMetadata(sentMetadata(fields), (metadata) => {
    const validated = withLineErrors(lines, validate({ ...input, metadata }));
    return validated.ok ? { ok: true, output: { body: validated.output, metadata } } : validated;
  });
  if (!result.ok) return result;
  return { ok: true, output: { ...result.output, seen: Number(lineOf(fields, 'seen')) } };
}

/**
 * Judges the lines of a form together with the invoice that it changes.
 * @param sent the result of `readInvoiceEdit`. If the amount is that of the invoice, it does not contradict new lines.
 */
export function chargesOfEdit(
  invoice: Invoice,
  lines: SentLines,
  sent: ValidatedFields<InvoiceEdit>,
): ReadForm<InvoiceEdit> {
  if (hasErrors(lines)) return { result: sent };
  if (lines.lines.length === 0)
    return { result: withErrors(sent, invoice.charges ? { lines: lineTexts.noLine } : {}) };
  const { currency } = invoice;
  const sentAmount = sent.ok ? sent.output.body.amount : undefined;
  const amount = sentAmount === invoice.amount ? undefined : sentAmount;
  const compute = () =>
    changedCharges(invoice, { lines: lines.lines.map(({ line }) => line), ...updatedTotal(lines) });
  const { charged, errors } = chargeLines(lines, compute, currency, amount);
  return { result: withErrors(sent, errors), totals: charged && { ...charged, currency } };
}

/** Renders the fields of a new invoice with the values that the user typed. */
export function renderNewInvoiceFields(
  fields: URLSearchParams,
  errors: FieldErrors,
  totals: ShownTotals | undefined,
): Markup {
  const value = (name: string) => fields.get(name) ?? '';
  const choices = currencies.map((currency) => [currency, currency] as const);
  return html`${renderField({ name: 'customerId', ...textsOf('customerId'), value: value('customerId'), error: errors.customerId })}
<div class="pair">${renderField({ name: 'amount', ...textsOf('amount'), value: value('amount'), error: errors.amount })}${renderSelect({ name: 'currency', ...textsOf('currency'), value: value('currency'), choices, error: errors.currency })}</div>
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), value: value('description'), error: errors.description })}
${renderField({ name: 'dueDate', type: 'date', ...textsOf('dueDate'), value: value('dueDate'), error: errors.dueDate })}
${renderField({ name: 'reference', ...ownReferenceField, value: value('reference'), error: errors.reference })}
${renderLocaleField(value('locale'), errors.locale)}
${renderMetadataField(value('metadata'), errors.metadata)}
${renderLineFields(fields, errors, totals)}`;
}

/** The values of the form of a new invoice. */
export const newInvoiceValues = (customerId: string): URLSearchParams =>
  withLines(new URLSearchParams({ customerId, ...firstTotalOf({}) }), firstLinesOf({}));

/** The values of an invoice that its form shows first. The lines of an invoice decide its amount. */
function editableFields(invoice: Invoice): URLSearchParams {
  const { amount, charges, description, dueDate, locale, metadata } = invoice;
  const fields = new URLSearchParams({
    amount: charges ? '' : toMajorUnits(amount),
    description,
    dueDate: isWholeDay(dueDate) ? dueDate.slice(0, 10) : toDateTimeValue(dueDate),
    locale: locale ?? '',
    metadata: metadataLines(metadata),
    ...firstTotalOf(invoice),
  });
  return withLines(fields, firstLinesOf(invoice));
}

/** Renders the fields of a changed invoice, with the values that the user typed or the present ones. */
export function renderEditFields(invoice: Invoice, shown: ShownInvoiceForm | undefined): Markup {
  const fields = shown?.fields ?? editableFields(invoice);
  const errors = shown?.failure?.errors ?? {};
  const value = (name: string) => fields.get(name) ?? '';
  const isDate = isWholeDay(invoice.dueDate);
  const due = isDate
    ? ({ type: 'date', ...textsOf('dueDate') } as const)
    : ({ type: 'datetime-local', ...dueTimeField } as const);
  return html`${renderHiddenInput('seen', seenVersion(shown, String(invoice.objectVersion)))}
${renderField({ name: 'amount', ...textsOf('amount'), label: `${invoiceFields.amount.label} (${invoice.currency})`, value: value('amount'), error: errors.amount })}
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), value: value('description'), error: errors.description })}
${renderField({ name: 'dueDate', ...due, value: value('dueDate'), error: errors.dueDate })}
${renderLocaleField(value('locale'), errors.locale)}
${renderMetadataField(value('metadata'), errors.metadata, invoice.metadata)}
${renderLineFields(fields, errors, shown ? shown.totals : invoice)}`;
}

function renderLocaleField(value: string, error: string | undefined): Markup {
  const { label, browser } = localeField;
  const choices = locales.map((each): [string, string] => [each, localeNames[each]]);
  return renderSelect({ name: 'locale', label, value, error, choices: [['', browser], ...choices] });
}

/** Renders the fields of an invoice that replaces another one, as those of a change, with the customer. */
export function renderReplaceFields(invoice: Invoice, shown: ShownInvoiceForm | undefined): Markup {
  const value = shown?.fields.get('customerId') ?? invoice.customerId;
  const error = shown?.failure?.errors?.customerId;
  return html`${renderField({ name: 'customerId', ...textsOf('customerId'), value, error })}${renderEditFields(invoice, shown)}`;
}

/** A form of an invoice that is shown again. */
export interface ShownInvoiceForm extends ShownForm<URLSearchParams> {
  readonly totals?: ShownTotals | undefined;
}

function textsOf(name: keyof typeof invoiceFields): { label: string; hint?: string } {
  const { label, ...texts } = invoiceFields[name];
  return 'hint' in texts ? { label, hint: texts.hint } : { label };
}

/** A due date without a time is stored as the last millisecond of its day. */
const isWholeDay = (dueDate: string): boolean => dueDate.endsWith('T23:59:59.999Z');
