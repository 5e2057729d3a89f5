/** Reads the filters of the list of payments, and the payments that match them. */
import { ApiError } from '../../../base/errors.ts';
import { parseMajorUnits } from '../../../base/money.ts';
import { statuses } from '../../../base/statuses.ts';
import { type ListPayments, listPaymentsQuery } from '../../../domain/payments/payment.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardRequest } from '../definitions.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { commonFilterNames, commonFilters } from '../records/common-filters.ts';
import { type ParsedQuery, parseListQuery } from '../records/list-query.ts';
import { filterChoices } from '../records/record-elements.ts';
import type { Filter } from '../records/record-list.ts';
import { fieldNames, methodTexts } from '../records/record-texts.ts';
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
  const amount = sent.get('amount')?.trim() ?? '';
  query.set('amount', String(parseMajorUnits(amount) ?? amount));
  const days = ['receivedOn', 'receivedTo'].flatMap((name) => sent.get(name)?.trim() || []);
  query.set('receivedOn', days.join('/'));
  const parsed = parseListQuery(listPaymentsQuery, { query, context }, names);
  return parsed.errors.amount === undefined
    ? parsed
    : { ...parsed, errors: { amount: paymentTexts.wrongAmount } };
}

type ListRequest = Pick<DashboardRequest, 'query' | 'context'>;

interface FilteredPayments {
  readonly list: Awaited<ReturnType<typeof readPayments>>;
  readonly order: ListOrder;
  readonly errors: FieldErrors;
}

/** Reads a page of the list. Filters that the list cannot have together show it without filters, with the error. */
export async function readFilteredPayments(request: DashboardRequest): Promise<FilteredPayments> {
  const owner = requestOwnerOf(request);
  const { query, order, errors } = parsePaymentQuery(request);
  const read = (filters: ListPayments) => readPayments(owner, { ...filters, order }, request.context.now);
  try {
    return { list: await read(query), order, errors };
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error;
    const unfiltered = parseListQuery(listPaymentsQuery, request, []);
    return { list: await read(unfiltered.query), order, errors: { [error.field]: error.message } };
  }
}

/** Returns the filters of the list. Those that are typed show what was sent, also if it is not valid. */
export function paymentFilters(sent: URLSearchParams, errors: FieldErrors): Readonly<Record<string, Filter>> {
  const { status, ...others } = commonFilters(sent, errors, statuses.payment);
  const sentValue = (name: string) => sent.get(name)?.trim() || undefined;
  return {
    status,
    customerId: { label: fieldNames.customer, value: sentValue('customerId') },
    invoiceId: { label: fieldNames.invoice, value: sentValue('invoiceId') },
    amount: { label: fieldNames.amount, value: sentValue('amount') },
    reference: { label: fieldNames.reference, value: sentValue('reference') },
    receivedOn: { label: fieldNames.receivedOn, value: sentValue('receivedOn'), type: 'date' },
    receivedTo: { label: paymentTexts.receivedTo, value: sentValue('receivedTo'), type: 'date' },
    method: {
      label: fieldNames.method,
      value: sentValue('method'),
      choices: filterChoices(Object.keys(methodTexts), methodTexts),
    },
    ...others,
  };
}
