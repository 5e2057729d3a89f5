/** Renders the forms with which a user creates, changes and replaces an invoice. `read-invoice-form.ts` reads them. */
import { html } from 'hono/html';
import { localeNames, locales } from '../../../base/locales.ts';
import { currencies, toMajorUnits } from '../../../base/money.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { formatDate } from '../../pages/dates.ts';
import type { Markup } from '../../pages/markup.ts';
import { type ShownForm, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderCheckbox, renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import { metadataLines, renderMetadataField } from '../input/metadata-field.ts';
import { toDueValue } from '../input/zoned-times.ts';
import type { ZoneContext } from '../times.ts';
import { buyerValues, renderBuyerFields } from './buyer-fields.ts';
import { type OfferedChoices, renderFinder } from './customer-finder.ts';
import { givenGstOf, gstFieldNames, gstValues, renderGstFields } from './gst-fields.ts';
import { defaultDueDateOf, firstCurrencyOf, firstTaxOf, type InvoiceChoices } from './invoice-choices.ts';
import {
  acceptPartialField,
  dueTimeField,
  invoiceFields,
  invoiceTexts,
  localeField,
  ownReferenceField,
  useCreditField,
} from './invoice-texts.ts';
import { firstLinesOf, renderLineFields, type ShownTotals, withLines } from './line-fields.ts';
import { firstTotalOf } from './total-fields.ts';

/** A form of an invoice that is shown again. */
export interface ShownInvoiceForm extends ShownForm<URLSearchParams> {
  readonly totals?: ShownTotals | undefined;
}

/** What the form of a draft or of a schedule has differently from that of a new invoice. */
export interface InvoiceFieldOptions {
  /** The metadata of the record that the form changes. */
  readonly stored?: Invoice['metadata'];
  /** The invoice is made again and again, so it has no due date and no reference of its own. */
  readonly repeats?: { readonly descriptionHint: string };
}

/**
 * Renders the fields of a new invoice with the values that the user typed.
 * @param options what the form of another record has differently
 */
export function renderNewInvoiceFields(
  context: Pick<DashboardContext, 'moment'>,
  { fields, failure, totals }: ShownInvoiceForm,
  choices: OfferedChoices,
  { stored, repeats }: InvoiceFieldOptions = {},
): Markup {
  const errors = failure?.errors ?? {};
  const value = (name: string) => fields.get(name) ?? '';
  const currencyChoices = currencies.map((currency) => [currency, currency] as const);
  const isMoreOpen = (['reference', 'locale', 'metadata'] as const).some(
    (name) => value(name) !== '' || errors[name] !== undefined,
  );
  return html`${renderCustomerField(value('customerId'), errors.customerId, choices)}
${renderBuyerFields(fields, errors)}
<div class="pair">${renderField({ name: 'amount', ...textsOf('amount'), value: value('amount'), error: errors.amount })}${renderSelect({ name: 'currency', ...textsOf('currency'), value: value('currency'), choices: currencyChoices, error: errors.currency })}</div>
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), ...(repeats && { hint: repeats.descriptionHint }), value: value('description'), error: errors.description })}
${repeats ? '' : renderField({ name: 'dueDate', type: value('dueDate').includes('T') ? 'datetime-local' : 'date', ...textsOf('dueDate'), hint: dueHintOf(context, choices), value: value('dueDate'), error: errors.dueDate })}
${renderMore(
  repeats ? invoiceTexts.moreOfExisting : invoiceTexts.more,
  isMoreOpen,
  html`${repeats ? '' : renderField({ name: 'reference', ...ownReferenceField, value: value('reference'), error: errors.reference })}
${renderPartialField(value('acceptPartial'), errors.acceptPartial)}
${renderLocaleField(value('locale'), errors.locale)}
${renderMetadataField(value('metadata'), errors.metadata, stored)}`,
)}
${isIndian(choices, fields) ? renderGstFields(fields, errors) : ''}${renderLineFields(fields, errors, totals, choices)}`;
}

/** Renders the box that pays a new invoice with the credit of its customer. */
export function renderUseCredit({ fields, failure }: ShownInvoiceForm): Markup {
  const { label, hint } = useCreditField;
  return renderCheckbox({
    ...{ name: 'useCredit', label, hint, value: 'yes', error: failure?.errors?.useCredit },
    isChecked: fields.get('useCredit') === 'yes',
  });
}

const renderPartialField = (value: string, error: string | undefined): Markup =>
  renderSelect({ name: 'acceptPartial', ...acceptPartialField, value, error });

/** Returns the value of the list whether an invoice can be paid in parts. Without a choice, it is that of the account. */
export const partialValueOf = (
  chosen: boolean | null | undefined,
  { seller }: Pick<InvoiceChoices, 'seller'>,
): string => ((chosen ?? seller?.acceptPartial) ? 'yes' : 'no');

/** The values of the form of a new invoice. */
export const newInvoiceValues = (customerId: string, choices: InvoiceChoices): URLSearchParams =>
  withLines(
    new URLSearchParams({
      customerId,
      currency: firstCurrencyOf(choices),
      acceptPartial: partialValueOf(undefined, choices),
      ...firstTotalOf(undefined),
    }),
    firstLinesOf(undefined, firstTaxOf(choices)),
  );

/**
 * The values of the form of a new invoice like another one. Its number, its own reference and its due date are those of the other one
 * alone.
 */
export function duplicateValues(
  zone: ZoneContext,
  invoice: Invoice,
  choices: InvoiceChoices,
): URLSearchParams {
  const fields = editableFields(zone, invoice, choices);
  fields.set('customerId', invoice.customerId);
  fields.set('currency', invoice.currency);
  fields.delete('dueDate');
  const lines = invoice.charges?.lines.map((line) => ({ ...line, id: null }));
  return withLines(fields, firstLinesOf(lines, firstTaxOf(choices)));
}

/** The values of an invoice that its form shows first. The lines of an invoice decide its amount. */
function editableFields(zone: ZoneContext, invoice: Invoice, choices: InvoiceChoices): URLSearchParams {
  const { amount, buyer, charges, description, dueDate, locale, metadata } = invoice;
  const fields = new URLSearchParams({
    amount: charges ? '' : toMajorUnits(amount),
    description,
    dueDate: toDueValue(zone, dueDate),
    locale: locale ?? '',
    acceptPartial: invoice.acceptPartial ? 'yes' : 'no',
    metadata: metadataLines(metadata),
    ...buyerValues(buyer),
    ...(invoice.gst && gstValues(givenGstOf(invoice))),
    ...firstTotalOf(charges),
  });
  return withLines(fields, firstLinesOf(charges?.lines, firstTaxOf(choices)));
}

/** Renders the fields of a changed invoice, with the values that the user typed or the present ones. */
export function renderEditFields(
  zone: ZoneContext,
  invoice: Invoice,
  shown: ShownInvoiceForm | undefined,
  choices: InvoiceChoices,
): Markup {
  const fields = shown?.fields ?? editableFields(zone, invoice, choices);
  const errors = shown?.failure?.errors ?? {};
  const value = (name: string) => fields.get(name) ?? '';
  const isDate = !toDueValue(zone, invoice.dueDate).includes('T');
  const due = isDate
    ? ({ type: 'date', ...textsOf('dueDate') } as const)
    : ({ type: 'datetime-local', ...dueTimeField } as const);
  const isMoreOpen = (['locale', 'metadata'] as const).some(
    (name) => value(name) !== '' || errors[name] !== undefined || errors.acceptPartial !== undefined,
  );
  return html`${renderHiddenInput('seen', seenVersion(shown, String(invoice.objectVersion)))}
${renderBuyerFields(fields, errors)}
${renderField({ name: 'amount', ...textsOf('amount'), label: `${invoiceFields.amount.label} (${invoice.currency})`, value: value('amount'), error: errors.amount })}
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), value: value('description'), error: errors.description })}
${renderField({ name: 'dueDate', ...due, value: value('dueDate'), error: errors.dueDate })}
${renderMore(
  invoiceTexts.moreOfExisting,
  isMoreOpen,
  html`${renderPartialField(value('acceptPartial'), errors.acceptPartial)}
${renderLocaleField(value('locale'), errors.locale)}
${renderMetadataField(value('metadata'), errors.metadata, invoice.metadata)}`,
)}
${isIndian(choices, fields) ? renderGstFields(fields, errors) : ''}${renderLineFields(fields, errors, shown ? shown.totals : invoice, choices)}`;
}

/** Renders the fields of an invoice that replaces another one, as those of a change, with the customer. */
export function renderReplaceFields(
  zone: ZoneContext,
  invoice: Invoice,
  shown: ShownInvoiceForm | undefined,
  choices: OfferedChoices,
): Markup {
  const value = shown?.fields.get('customerId') ?? invoice.customerId;
  const error = shown?.failure?.errors?.customerId;
  return html`${renderCustomerField(value, error, choices)}${renderEditFields(zone, invoice, shown, choices)}`;
}

/** Renders the customer, with those of the customers API as suggestions. */
function renderCustomerField(
  value: string,
  error: string | undefined,
  { customers, found }: OfferedChoices,
): Markup {
  const texts = customers.map(
    ({ id, name, email }) => [id, [name, email].filter(Boolean).join(' · ')] as const,
  );
  const [, known] = texts.find(([id]) => id === value) ?? [];
  const { label, hint, known: knownHint } = invoiceFields.customerId;
  const field = {
    name: 'customerId',
    label,
    hint: known ?? (texts.length > 0 ? knownHint : hint),
    value,
    error,
  };
  return html`${renderField({ ...field, suggestions: texts })}${renderFinder(found)}`;
}

function renderLocaleField(value: string, error: string | undefined): Markup {
  const { label, browser } = localeField;
  const choices = locales.map((each): [string, string] => [each, localeNames[each]]);
  return renderSelect({ name: 'locale', label, value, error, choices: [['', browser], ...choices] });
}

/** Renders rarely used fields, folded away unless one is used. */
const renderMore = (summary: string, isOpen: boolean, content: Markup): Markup =>
  html`<details${isOpen ? html` open` : ''}><summary>${summary}</summary>${content}</details>`;

/** Whether the form has the fields of the GST of India: the seller is there, or the invoice has them. */
const isIndian = ({ seller }: InvoiceChoices, fields: URLSearchParams): boolean =>
  seller?.country === 'IN' || gstFieldNames.some((name) => fields.has(name));

function dueHintOf(context: Pick<DashboardContext, 'moment'>, choices: InvoiceChoices): string {
  const due = defaultDueDateOf(choices, context);
  return due
    ? invoiceTexts.dueInDays(due.days, formatDate(due.at, due.timeZone))
    : invoiceFields.dueDate.hint;
}

function textsOf(name: keyof typeof invoiceFields): { label: string; hint?: string } {
  const { label, ...texts } = invoiceFields[name];
  return 'hint' in texts ? { label, hint: texts.hint } : { label };
}
