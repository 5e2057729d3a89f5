/** Renders and reads the forms with which a user creates and changes an invoice. */
import { html } from 'hono/html';
import { currencies, toMajorUnits } from '../../../base/money.ts';
import {
  createInvoiceBody,
  type Invoice,
  type UpdateInvoice,
  updateInvoiceBody,
} from '../../../domain/invoices/invoice.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
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
import { dueTimeField, invoiceFields, ownReferenceField } from './invoice-texts.ts';

/** How the form of a new invoice names its fields in errors. */
export const newInvoiceFields = { ...invoiceFields, reference: ownReferenceField, metadata: metadataField };

/** How the form of a changed invoice names its fields in errors. */
const editedInvoiceFields = { ...invoiceFields, metadata: metadataField };

/** Validates the fields of a new invoice, as the API does. */
export function readNewInvoice(fields: SentFields) {
  const input = {
    customerId: lineOf(fields, 'customerId'),
    amount: sentAmountOf(fields, 'amount'),
    currency: lineOf(fields, 'currency'),
    description: linesOf(fields, 'description'),
    dueDate: optionalLineOf(fields, 'dueDate'),
    reference: optionalLineOf(fields, 'reference'),
  };
  return validateWithMetadata(sentMetadata(fields), (metadata) =>
    validateFields(createInvoiceBody, { ...input, metadata }, newInvoiceFields),
  );
}

/** The change that a form asks for, and the version of the invoice that it showed. */
export interface InvoiceEdit {
  readonly body: UpdateInvoice;
  /** All texts of the field. Undefined if the form does not have it. */
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly seen: number;
}

/** Validates the fields of a changed invoice, as the API does. */
export function readInvoiceEdit(fields: SentFields): ValidatedFields<InvoiceEdit> {
  const input = {
    amount: sentAmountOf(fields, 'amount'),
    description: linesOf(fields, 'description'),
    dueDate: lineOf(fields, 'dueDate'),
  };
  const result = validateWithMetadata(sentMetadata(fields), (metadata) => {
    const validated = validateFields(updateInvoiceBody, { ...input, metadata }, editedInvoiceFields);
    return validated.ok ? { ok: true, output: { body: validated.output, metadata } } : validated;
  });
  if (!result.ok) return result;
  return { ok: true, output: { ...result.output, seen: Number(lineOf(fields, 'seen')) } };
}

/** Renders the fields of a new invoice with the values that the user typed. */
export function renderNewInvoiceFields(fields: SentFields, errors: FieldErrors): Markup {
  const value = (name: string) => fields.get(name) ?? '';
  const choices = currencies.map((currency) => [currency, currency] as const);
  return html`${renderField({ name: 'customerId', ...textsOf('customerId'), value: value('customerId'), error: errors.customerId })}
<div class="pair">${renderField({ name: 'amount', ...textsOf('amount'), value: value('amount'), error: errors.amount })}${renderSelect({ name: 'currency', ...textsOf('currency'), value: value('currency'), choices, error: errors.currency })}</div>
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), value: value('description'), error: errors.description })}
${renderField({ name: 'dueDate', type: 'date', ...textsOf('dueDate'), value: value('dueDate'), error: errors.dueDate })}
${renderField({ name: 'reference', ...ownReferenceField, value: value('reference'), error: errors.reference })}
${renderMetadataField(value('metadata'), errors.metadata)}`;
}

/** The values of an invoice that its form shows first. */
function editableFields({ amount, description, dueDate, metadata }: Invoice): SentFields {
  return new Map([
    ['amount', toMajorUnits(amount)],
    ['description', description],
    ['dueDate', isWholeDay(dueDate) ? dueDate.slice(0, 10) : toDateTimeValue(dueDate)],
    ['metadata', metadataLines(metadata)],
  ]);
}

/** Renders the fields of a changed invoice, with the values that the user typed or the present ones. */
export function renderEditFields(invoice: Invoice, failed: FailedForm | undefined): Markup {
  const fields = failed?.fields ?? editableFields(invoice);
  const errors = failed?.failure.errors ?? {};
  const value = (name: string) => fields.get(name) ?? '';
  const isDate = isWholeDay(invoice.dueDate);
  const due = isDate
    ? ({ type: 'date', ...textsOf('dueDate') } as const)
    : ({ type: 'datetime-local', ...dueTimeField } as const);
  return html`${renderHiddenInput('seen', seenVersion(failed, String(invoice.objectVersion)))}
${renderField({ name: 'amount', ...textsOf('amount'), label: `${invoiceFields.amount.label} (${invoice.currency})`, value: value('amount'), error: errors.amount })}
${renderField({ name: 'description', type: 'textarea', ...textsOf('description'), value: value('description'), error: errors.description })}
${renderField({ name: 'dueDate', ...due, value: value('dueDate'), error: errors.dueDate })}
${renderMetadataField(value('metadata'), errors.metadata, invoice.metadata)}`;
}

function textsOf(name: keyof typeof invoiceFields): { label: string; hint?: string } {
  const { label, ...texts } = invoiceFields[name];
  return 'hint' in texts ? { label, hint: texts.hint } : { label };
}

/** A due date without a time is stored as the last millisecond of its day. */
const isWholeDay = (dueDate: string): boolean => dueDate.endsWith('T23:59:59.999Z');
