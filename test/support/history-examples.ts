/** An account with one invoice, its payments and refunds, and what clients were answered: for tests of the checker. */
import type { Chain, ShownInvoice } from './audit-table.ts';
import type { Call, History, ListQuery, Shown } from './history.ts';
import { checkHistory, type Told } from './history-check.ts';
import type { ShownPayment, ShownRefund, Story } from './history-stories.ts';

export const owner = 'acct_1#test';
const start = Date.UTC(2026, 0, 1);
export const at = (second: number) => new Date(start + second * 1000).toISOString();

export const invoice: ShownInvoice = {
  ...{ id: 'inv_1', customerId: 'cust_1', amount: 100, currency: 'USD', status: 'pending' },
  ...{ description: 'first', dueDate: at(3600), paymentUrl: 'http://pay/inv_1' },
  ...{ createdAt: at(0), updatedAt: at(0) },
};
export const dearer: ShownInvoice = { ...invoice, amount: 200, updatedAt: at(1) };
export const paid: ShownInvoice = { ...invoice, status: 'paid', updatedAt: at(5) };
export const cancelled: ShownInvoice = { ...invoice, status: 'cancelled', updatedAt: at(3) };
const types = { pending: 'invoice.created', paid: 'invoice.paid', cancelled: 'invoice.cancelled' };
const typeOf = ({ status, updatedAt }: ShownInvoice) =>
  status === 'pending' && updatedAt !== at(0) ? 'invoice.updated' : types[status as keyof typeof types];
export const chainOf = (...states: ShownInvoice[]): Chain => ({
  ...{ id: 'inv_1', seq: 1 },
  versions: states.map((shown) => ({ type: typeOf(shown), invoice: shown })),
});

export const pending: ShownPayment = {
  ...{ id: 'pay_1', invoiceId: 'inv_1', customerId: 'cust_1', amount: 100, currency: 'USD' },
  ...{ status: 'pending', method: 'card', card: { brand: 'visa', last4: '4242' }, reference: null },
  ...{ amountRefunded: 0, failureCode: null, failureMessage: null, createdAt: at(2), updatedAt: at(2) },
};
export const completed: ShownPayment = { ...pending, status: 'completed', updatedAt: at(5) };
export const card = (last4: string) => ({ card: { brand: 'visa', last4 } });
export const declined: ShownPayment = {
  ...{ ...pending, ...card('0002'), status: 'failed', updatedAt: at(5) },
  ...{ failureCode: 'card_declined', failureMessage: 'Declined.' },
};
export const story = <T extends Shown>(
  seq: number,
  first: T,
  outcome?: T,
  last = outcome ?? first,
): Story<T> => ({
  ...{ id: first.id, seq, first, outcome, last },
});
export const refund: ShownRefund = {
  ...{ id: 'ref_1', paymentId: 'pay_1', invoiceId: 'inv_1', amount: 40, currency: 'USD', status: 'pending' },
  ...{ reason: 'Refund 1', failureCode: null, createdAt: at(6), updatedAt: at(6) },
};
export const processed: ShownRefund = { ...refund, status: 'processed', updatedAt: at(7) };
export const refunded: ShownPayment = { ...completed, amountRefunded: 40, updatedAt: at(7) };

let labels = 0;
type Fields = Partial<Call> & Pick<Call, 'kind'>;
export const call = (begin: number, end: number, fields: Fields, json?: unknown): Call => ({
  ...{ label: `${labels++}`, owner, begin, end: json === undefined ? Number.POSITIVE_INFINITY : end },
  answer: json === undefined ? undefined : { status: 200, text: JSON.stringify(json), replayed: false },
  ...fields,
});
export const error = (code: string) => ({
  answer: { status: 400, text: JSON.stringify({ error: { code } }), replayed: false },
});
const { customerId, amount, currency, description } = invoice;
export const create = call(
  1,
  2,
  { kind: 'create', body: { customerId, amount, currency, description } },
  invoice,
);
export const cardBody = { invoiceId: 'inv_1', method: 'card', card: { number: '4242424242424242' } };
export const pay = (begin: number, end: number, json?: unknown, more: Partial<Call> = {}) =>
  call(begin, end, { kind: 'pay', invoice: 'inv_1', body: cardBody, ...more }, json);
export const payWith = (number: string) => ({ body: { ...cardBody, card: { number } } });
export const update = (begin: number, end: number, json?: unknown, more: Partial<Call> = {}) =>
  call(begin, end, { kind: 'update', invoice: 'inv_1', body: { amount: 200 }, ...more }, json);
export const cancel = (begin: number, end: number) =>
  call(
    begin,
    end,
    { kind: 'cancel', invoice: 'inv_1' },
    { id: 'inv_1', status: 'cancelled', deletedAt: at(3) },
  );
export const see = (begin: number, end: number, shown: Shown) => {
  const [kind, name] = shown.id.startsWith('pay_')
    ? (['get payment', 'payment'] as const)
    : shown.id.startsWith('ref_')
      ? (['get refund', 'refund'] as const)
      : (['get', 'invoice'] as const);
  return call(begin, end, { kind, [name]: shown.id }, shown);
};
export const giveBack = (begin: number, end: number, json?: unknown, more: Partial<Call> = {}) => {
  const body = { paymentId: 'pay_1', amount: 40, reason: 'Refund 1' };
  return call(begin, end, { kind: 'refund', payment: 'pay_1', body, ...more }, json);
};
export const list = (
  begin: number,
  end: number,
  kind: 'list' | 'list payments' | 'list refunds',
  data: readonly Shown[],
  filters: Partial<ListQuery> = {},
  total = data.length,
) => {
  const { limit, offset, ...others } = { limit: 20, offset: 0, ...filters };
  const pagination = { total, limit, offset, hasMore: offset + data.length < total };
  return call(begin, end, { kind, query: { limit, offset, ...others } }, { data, pagination });
};

export const check = (calls: Call[], told: Partial<Told>, more: Partial<History> = {}) =>
  checkHistory(
    { calls, clock: [{ at: 0, now: start }], settled: [], ...more },
    new Map([[owner, { invoices: [chainOf(invoice)], payments: [], refunds: [], ...told }]]),
  );

export const wasPaid = { invoices: [chainOf(invoice, paid)], payments: [story(1, pending, completed)] };
export const wasRefunded = {
  invoices: [chainOf(invoice, paid)],
  payments: [story(1, pending, completed, refunded)],
  refunds: [story(1, refund, processed)],
};
export const later = { ...pending, ...card('0077') };
export const laterDone = { ...completed, ...card('0077') };
export const clock = [
  { at: 0, now: start },
  { at: 10, now: start + 10_000 },
];
export const owed: ShownRefund = {
  ...{ ...refund, id: 'ref_2', amount: 100, createdAt: at(7), updatedAt: at(7) },
  reason: 'The invoice was cancelled while the payment was in progress.',
};
export const key = { key: 'k' };
export const replayOf = (json: unknown) => ({
  answer: { status: 200, text: JSON.stringify(json), replayed: true },
});
export const second = { ...pending, id: 'pay_2', createdAt: at(3), updatedAt: at(3) };
export const secondFailed: ShownPayment = {
  ...{ ...second, ...card('0002'), status: 'failed', updatedAt: at(4) },
  ...{ failureCode: 'card_declined', failureMessage: 'Declined.' },
};
export const secondBegun = { ...second, ...card('0002') };
