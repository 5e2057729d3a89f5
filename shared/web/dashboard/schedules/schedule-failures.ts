/** Says what is refused of a schedule, in the words of its forms. */
import { ApiError } from '../../../base/errors.ts';
import { type Failure, failureOf } from '../attempts/failed-attempt.ts';
import { inFormWords } from '../input/form-fields.ts';
import { lineTexts } from '../invoices/invoice-texts.ts';
import { lineErrorName } from '../invoices/line-fields.ts';
import { partyErrorsOf } from '../invoices/party-errors.ts';
import { newInvoiceFields } from '../invoices/read-invoice-form.ts';
import type { SentLines } from '../invoices/read-lines.ts';
import { scheduleFields, scheduleTexts } from './schedule-texts.ts';

/**
 * Returns what the form shows after an error of its attempt, or undefined if the schedule does not exist.
 * @throws the error, if it is not one of the form
 */
export function scheduleFailureOf(error: unknown, lines: SentLines): Failure | undefined {
  if (error instanceof ApiError && error.code === 'invalid_invoice') return invoiceFailureOf(error, lines);
  // The choice is one of the list, and the account or the invoice does not allow it.
  if (error instanceof ApiError && error.code === 'invalid_mode') {
    const { label } = scheduleFields.mode;
    return { errors: { mode: inFormWords('mode', error.message, { mode: { label } }) }, status: 400 };
  }
  return failureOf(error, { ...newInvoiceFields, ...scheduleFields }, scheduleTexts.changedForm);
}

/** Its field is such as `invoice.lines.0.tax`. */
function invoiceFailureOf({ field = '', message }: ApiError, { lines }: SentLines): Failure {
  const own = field.replace(/^invoice\.?/, '');
  const text = field === '' ? message : message.replaceAll(field, own);
  const parties = partyErrorsOf(new ApiError('invalid_invoice', { field: own, message: text }));
  if (parties) return { errors: parties, status: 400 };
  const [, index, part = ''] = /^lines\.(\d+)\.(\w+)/.exec(own) ?? [];
  const position = lines[Number(index)]?.position;
  if (position !== undefined && isLabeled(part)) {
    const label = `${lineTexts.labels[part]}${lineTexts.ofLine(position)}`;
    return { errors: { [lineErrorName(part, position)]: text.replace(own, label) }, status: 400 };
  }
  const [name = ''] = own.split('.');
  if (name === 'lines' || name === 'discount') return { errors: { [name]: text }, status: 400 };
  if (!Object.hasOwn(newInvoiceFields, name)) return { alert: text, status: 400 };
  return { errors: { [name]: inFormWords(name, text, newInvoiceFields) }, status: 400 };
}

const isLabeled = (part: string): part is keyof typeof lineTexts.labels =>
  Object.hasOwn(lineTexts.labels, part);
