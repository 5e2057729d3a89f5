/** Reads the filters of the list of payments, and the payments that match them. */

import { isDay } from '../../../base/due-date.ts';
import { ApiError } from '../../../base/errors.ts';
import { parseMajorUnits } from '../../../base/money.ts';
import { statuses } from '../../../base/statuses.ts';
import { type ListPayments, listPaymentsQuery } from '../../../domain/payments/payment.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardRequest } from '../definitions.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { commonFilterNames, commonFilters } from '../records/common-filters.ts';
import { type ParsedQuery, parseListQuery, typedValue } from '../records/list-query.ts';
import { filterChoices } from '../records/record-elements.ts';
import type { Filter } from '../records/record-list.ts';
import { fieldNames, methodTexts } from '../records/record-texts.ts';
import { parseWithInvoice } from './invoice-filter.ts';
import { readPayments } from './payment-queries.ts';
import { paymentTexts } from './payment-texts.ts';

/** The parameters of the API by which the list is filtered. */
const names: readonly string[] = [
  ...commonFilterNames,
  ...['invoiceId', 'customerId', 'amount', 'receivedOn', 'method', 'reference', 'offset'],
];

/**
 * Parses the query of the list, as `parseListQuery`. Amounts are in units of their currency, and the first and the last day on which money
 * was received have a field each.
 */
export function parsePaymentQuery({ query: sent, context }: ListRequest): ParsedQuery<ListPayments> {
  const query = new URLSearchParams(sent);
  const amount = typedValue(sent, 'amount') ?? '';
  query.set('amount', String(parseMajorUnits(amount) ?? amount));
  const [first, last] = [typedValue(sent, 'receivedOn'), typedValue(sent, 'receivedTo')];
  query.set('receivedOn', last === undefined ? (first ?? '') : `${first ?? ''}/${last}`);
  const parsed = parseListQuery(listPaymentsQuery, { query, context }, names);
  const { errors } = parsed;
  if (errors.amount !== undefined) return { ...parsed, errors: { amount: paymentTexts.wrongAmount } };
  return errors.receivedOn === undefined ? parsed : { ...parsed, errors: errorOfDays(first, last) };
}

/** Returns what is wrong with the days of receipt, beside the field that is to be corrected. */
function errorOfDays(first: string | undefined, last: string | undefined): FieldErrors {
  if (first === undefined) return { receivedOn: paymentTexts.firstDayMissing };
  if (!isDay(first)) return { receivedOn: paymentTexts.wrongFirstDay };
  if (last === undefined || !isDay(last)) return { receivedTo: paymentTexts.wrongLastDay };
  return { receivedTo: last < first ? paymentTexts.lastBeforeFirst : paymentTexts.tooManyDays };
}

type ListRequest = Pick<DashboardRequest, 'query' | 'context'>;

type PaymentPart = Pick<Awaited<ReturnType<typeof readPayments>>, 'data' | 'pagination'>;

const noPayments: PaymentPart = { data: [], pagination: { total: 0, limit: 0, offset: 0, hasMore: false } };

interface FilteredPayments {
  readonly list: PaymentPart;
  readonly order: ListOrder;
  readonly errors: FieldErrors;
}

/** Reads a page of the list. Filters that it cannot have, or cannot have together, give no rows but an error. */
export async function readFilteredPayments(request: DashboardRequest): Promise<FilteredPayments> {
  const { query, order, errors } = await parseWithInvoice(request, parsePaymentQuery);
  const refused = (reasons: FieldErrors): FilteredPayments => ({ list: noPayments, order, errors: reasons });
  if (Object.keys(errors).length > 0) return refused(errors);
  try {
    const list = await readPayments(requestOwnerOf(request), { ...query, order }, request.context.now);
    return { list, order, errors };
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error;
    return refused({ [error.field]: error.message });
  }
}

/** Returns the filter by invoice with what was sent. */
export const invoiceFilterOf = (sent: URLSearchParams): Filter => ({
  label: fieldNames.invoice,
  value: typedValue(sent, 'invoiceId'),
  hint: paymentTexts.invoiceHint,
});

/** Returns the filters of the list with what was sent, also if it is not valid. */
export function paymentFilters(sent: URLSearchParams): Readonly<Record<string, Filter>> {
  const { status, ...others } = commonFilters(sent, statuses.payment);
  const sentValue = (name: string) => typedValue(sent, name);
  return {
    status,
    customerId: { label: fieldNames.customer, value: sentValue('customerId') },
    invoiceId: invoiceFilterOf(sent),
    amount: { label: fieldNames.amount, value: sentValue('amount') },
    reference: { label: fieldNames.reference, value: sentValue('reference') },
    receivedOn: {
      label: fieldNames.receivedOn,
      value: sentValue('receivedOn'),
      type: 'date',
      hint: paymentTexts.receivedOnHint,
    },
    receivedTo: { label: paymentTexts.receivedTo, value: sentValue('receivedTo'), type: 'date' },
    method: {
      label: fieldNames.method,
      value: sentValue('method'),
      choices: filterChoices(Object.keys(methodTexts), methodTexts),
    },
    ...others,
  };
}
