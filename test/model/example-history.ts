/** Builds example histories for the tests of the checker: one invoice with its payments, refunds and calls. */
import type { InvoiceSnapshot, VersionedInvoice } from './audit-table.ts';
import { checkHistory, type StoredRecords } from './check.ts';
import type { History, RecordedCall, RecordedQuery, Snapshot } from './history.ts';
import type { Lifecycle, PaymentSnapshot, RefundSnapshot } from './stored-lifecycles.ts';

const exampleOwner = 'acct_1#test';
const startTime = Date.UTC(2026, 0, 1);
/** Returns the timestamp of that second after the start. */
export const timestampAt = (second: number) => new Date(startTime + second * 1000).toISOString();

export const pendingInvoice: InvoiceSnapshot = {
  id: 'inv_1',
  customerId: 'cust_1',
  amount: 100,
  currency: 'USD',
  status: 'pending',
  description: 'first',
  dueDate: timestampAt(3600),
  paymentUrl: 'http://pay/inv_1',
  createdAt: timestampAt(0),
  updatedAt: timestampAt(0),
};
export const repricedInvoice: InvoiceSnapshot = { ...pendingInvoice, amount: 200, updatedAt: timestampAt(1) };
export const paidInvoice: InvoiceSnapshot = { ...pendingInvoice, status: 'paid', updatedAt: timestampAt(5) };
export const cancelledInvoice: InvoiceSnapshot = {
  ...pendingInvoice,
  status: 'cancelled',
  updatedAt: timestampAt(3),
};
const eventTypes = { pending: 'invoice.created', paid: 'invoice.paid', cancelled: 'invoice.cancelled' };
const eventTypeOf = ({ status, updatedAt }: InvoiceSnapshot) =>
  status === 'pending' && updatedAt !== timestampAt(0)
    ? 'invoice.updated'
    : eventTypes[status as keyof typeof eventTypes];
/** The stored invoice with these versions. */
export const storedInvoice = (...snapshots: InvoiceSnapshot[]): VersionedInvoice => ({
  id: 'inv_1',
  seq: 1,
  versions: snapshots.map((invoice) => ({ eventType: eventTypeOf(invoice), invoice })),
});

const last4 = (digits: string) => ({ card: { brand: 'visa', last4: digits } });
export const approvedCard = last4('4242');
export const decliningCard = last4('0002');
export const settlesLaterCard = last4('0077');

export const pendingPayment: PaymentSnapshot = {
  id: 'pay_1',
  invoiceId: 'inv_1',
  customerId: 'cust_1',
  amount: 100,
  currency: 'USD',
  status: 'pending',
  method: 'card',
  ...approvedCard,
  reference: null,
  amountRefunded: 0,
  failureCode: null,
  failureMessage: null,
  dispute: null,
  createdAt: timestampAt(2),
  updatedAt: timestampAt(2),
};
export const completedPayment: PaymentSnapshot = {
  ...pendingPayment,
  status: 'completed',
  updatedAt: timestampAt(5),
};
const declined = { status: 'failed', failureCode: 'card_declined', failureMessage: 'Declined.' };
export const declinedPayment: PaymentSnapshot = {
  ...pendingPayment,
  ...decliningCard,
  ...declined,
  updatedAt: timestampAt(5),
};
export const delayedPayment: PaymentSnapshot = { ...pendingPayment, ...settlesLaterCard };
export const completedDelayedPayment: PaymentSnapshot = { ...completedPayment, ...settlesLaterCard };
/** A second payment of the invoice, with a card that is declined. */
export const secondPayment: PaymentSnapshot = {
  ...pendingPayment,
  ...decliningCard,
  id: 'pay_2',
  createdAt: timestampAt(3),
  updatedAt: timestampAt(3),
};
export const declinedSecondPayment: PaymentSnapshot = {
  ...secondPayment,
  ...declined,
  updatedAt: timestampAt(4),
};

export const pendingRefund: RefundSnapshot = {
  id: 'ref_1',
  paymentId: 'pay_1',
  invoiceId: 'inv_1',
  amount: 40,
  currency: 'USD',
  status: 'pending',
  reason: 'Refund 1',
  failureCode: null,
  createdAt: timestampAt(6),
  updatedAt: timestampAt(6),
};
export const processedRefund: RefundSnapshot = {
  ...pendingRefund,
  status: 'processed',
  updatedAt: timestampAt(7),
};
export const refundedPayment: PaymentSnapshot = {
  ...completedPayment,
  amountRefunded: 40,
  updatedAt: timestampAt(7),
};
/** A refund that the service made by itself. */
export const compensationRefund: RefundSnapshot = {
  ...pendingRefund,
  id: 'ref_2',
  amount: 100,
  createdAt: timestampAt(7),
  updatedAt: timestampAt(7),
  reason: 'The invoice was cancelled while the payment was in progress.',
};

export const lifecycle = <T extends Snapshot>(
  seq: number,
  initial: T,
  outcome?: T,
  current = outcome ?? initial,
): Lifecycle<T> => ({ id: initial.id, seq, initial, outcome, current });

let labels = 0;
type CallFields = Partial<RecordedCall> & Pick<RecordedCall, 'kind'>;
/** A call with a successful response of that JSON. Without `json` it has no response. */
export const recordedCall = (
  start: number,
  end: number,
  fields: CallFields,
  json?: unknown,
): RecordedCall => ({
  label: `${labels++}`,
  owner: exampleOwner,
  start,
  end: json === undefined ? Number.POSITIVE_INFINITY : end,
  response: json === undefined ? undefined : { status: 200, text: JSON.stringify(json), replayed: false },
  ...fields,
});
export const errorResponse = (code: string) => ({
  response: { status: 400, text: JSON.stringify({ error: { code } }), replayed: false },
});
export const replayedResponse = (json: unknown) => ({
  response: { status: 200, text: JSON.stringify(json), replayed: true },
});
export const withKey = { key: 'k' };

const { customerId, amount, currency, description } = pendingInvoice;
/** The call that created the invoice. */
export const createCall = recordedCall(
  1,
  2,
  { kind: 'create', body: { customerId, amount, currency, description } },
  pendingInvoice,
);
export const payCallBody = {
  invoiceId: 'inv_1',
  method: 'card',
  card: { number: '4242424242424242' },
};
export const decliningCardNumber = '4000000000000002';
export const delayedCardNumber = '4000000000000077';
export const withCardNumber = (number: string) => ({ body: { ...payCallBody, card: { number } } });
export const payCall = (start: number, end: number, json?: unknown, fields: Partial<RecordedCall> = {}) =>
  recordedCall(start, end, { kind: 'pay', invoice: 'inv_1', body: payCallBody, ...fields }, json);
export const updateCall = (start: number, end: number, json?: unknown, fields: Partial<RecordedCall> = {}) =>
  recordedCall(start, end, { kind: 'update', invoice: 'inv_1', body: { amount: 200 }, ...fields }, json);
export const cancelCall = (start: number, end: number) =>
  recordedCall(
    start,
    end,
    { kind: 'cancel', invoice: 'inv_1' },
    { id: 'inv_1', status: 'cancelled', deletedAt: timestampAt(3) },
  );
/** A call that reads the record and gets this snapshot. */
export const readCall = (start: number, end: number, snapshot: Snapshot) => {
  const { id } = snapshot;
  const [kind, name] = id.startsWith('pay_')
    ? (['get payment', 'payment'] as const)
    : id.startsWith('ref_')
      ? (['get refund', 'refund'] as const)
      : (['get', 'invoice'] as const);
  return recordedCall(start, end, { kind, [name]: id }, snapshot);
};
export const refundCall = (
  start: number,
  end: number,
  json?: unknown,
  fields: Partial<RecordedCall> = {},
) => {
  const body = { paymentId: 'pay_1', amount: 40, reason: 'Refund 1' };
  return recordedCall(start, end, { kind: 'refund', payment: 'pay_1', body, ...fields }, json);
};
export const listCall = (
  start: number,
  end: number,
  kind: 'list' | 'list payments' | 'list refunds',
  data: readonly Snapshot[],
  query: Partial<RecordedQuery> = {},
  total = data.length,
) => {
  const { limit, offset, ...filters } = { limit: 20, offset: 0, ...query };
  const pagination = { total, limit, offset, hasMore: offset + data.length < total };
  return recordedCall(start, end, { kind, query: { limit, offset, ...filters } }, { data, pagination });
};

/** Checks a history of these calls. By default the table holds the pending invoice only. */
export const findViolations = (
  calls: RecordedCall[],
  stored: Partial<StoredRecords>,
  history: Partial<History> = {},
) =>
  checkHistory(
    { calls, clock: [{ position: 0, now: startTime }], quiescentAt: [], ...history },
    new Map([
      [exampleOwner, { invoices: [storedInvoice(pendingInvoice)], payments: [], refunds: [], ...stored }],
    ]),
  );

/** What the table holds after the invoice was paid. */
export const paidRecords = {
  invoices: [storedInvoice(pendingInvoice, paidInvoice)],
  payments: [lifecycle(1, pendingPayment, completedPayment)],
};
/** What the table holds after the payment was partly refunded. */
export const refundedRecords = {
  invoices: [storedInvoice(pendingInvoice, paidInvoice)],
  payments: [lifecycle(1, pendingPayment, completedPayment, refundedPayment)],
  refunds: [lifecycle(1, pendingRefund, processedRefund)],
};
/** At position 10 the clock reaches a time at which a delayed payment has settled. */
export const clockPastDelay = {
  clock: [
    { position: 0, now: startTime },
    { position: 10, now: startTime + 10_000 },
  ],
};
