/** Tests that a payment whose process crashes at any call ends as one payment, with or without a repeated request. */
import { expect, test } from '@jest/globals';
import { tableKeys } from '../../shared/store/keys.ts';
import { findIdempotencyRecord } from '../model/audit-table.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import { invoiceBody } from '../support/api.ts';
import { client, clock, crashes, layer, stack, table } from '../support/crash-test-file.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { attemptOf, cardPaymentBody, cards, submitForm } from '../support/pay.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { waitUntil } from '../support/wait-until.ts';

type Outcome = 'completed' | 'failed' | 'pending';

/** A way to pay. */
interface PaymentMethod {
  readonly what: string;
  readonly number: string;
  /** The outcome in the response. It is `pending` if the provider does not know it yet. */
  readonly outcome: Outcome;
  /** @param key identifies a request that is repeated. Without a key, each call is a new request. */
  readonly send: (
    method: PaymentMethod,
    invoiceId: string,
    key: string | undefined,
    headers?: Record<string, string>,
  ) => Promise<HttpResponse>;
  /** Returns the result in a response: the outcome of the payment, or the reason why nothing was charged. */
  readonly resultOf: (response: HttpResponse, invoiceId: string) => string | Promise<string>;
  /** The result of a new payment after a first one, by the outcome of the first one. */
  readonly secondResult: Readonly<Record<Outcome, string>>;
}

const byApi: Pick<PaymentMethod, 'send' | 'resultOf' | 'secondResult'> = {
  send: ({ number }, invoiceId, key, headers) => {
    const body = number ? cardPaymentBody(invoiceId, number) : { invoiceId, method: 'offline' };
    return client.api.post('/api/payments', body, {
      headers: { ...(key && { 'Idempotency-Key': key }), ...headers },
    });
  },
  resultOf: ({ status, json }) => (status === 201 ? json.status : json.error.code),
  secondResult: { completed: 'invoice_already_paid', pending: 'payment_in_progress', failed: 'failed' },
};

let attempts = 0;
const byPage: Pick<PaymentMethod, 'send' | 'resultOf' | 'secondResult'> = {
  send: ({ number }, invoiceId, key, headers) => {
    const attempt = attemptOf(key ? 0 : ++attempts);
    return submitForm(stack.baseUrl, invoiceId, { attempt, number }, headers);
  },
  resultOf: async ({ status, headers }, invoiceId) => {
    if (status !== 303) return `status ${status}`;
    if (headers.location?.startsWith('?payment=')) return 'failed';
    const invoice = await table.get(tableKeys.record(invoiceId));
    if (invoice?.paymentInProgress) return 'pending';
    return invoice?.status === 'paid' ? 'completed' : 'nothing';
  },
  secondResult: { completed: 'completed', pending: 'pending', failed: 'failed' },
};

const methods: readonly PaymentMethod[] = [
  { ...byApi, what: 'an offline payment', number: '', outcome: 'completed' },
  { ...byApi, what: 'a card that completes', number: cards.completes, outcome: 'completed' },
  { ...byApi, what: 'a card that is declined', number: cards.declined, outcome: 'failed' },
  { ...byApi, what: 'a card whose outcome is known later', number: cards.settlesLater, outcome: 'pending' },
  {
    ...byPage,
    what: 'a card that completes, on the payment page',
    number: cards.completes,
    outcome: 'completed',
  },
  {
    ...byPage,
    what: 'a card that is declined, on the payment page',
    number: cards.declined,
    outcome: 'failed',
  },
  {
    ...byPage,
    what: 'a card whose outcome is known later, on the payment page',
    number: cards.settlesLater,
    outcome: 'pending',
  },
];

/** Beside each other, the payments make a few more calls than alone, and the last crash points are after the last call. */
const moreCalls = 4;
let count = 0;

const newInvoice = async (): Promise<string> =>
  (await client.api.post('/api/invoices', invoiceBody())).json.id;
const paymentsOf = async (invoiceId: string) =>
  (await table.all('pay_')).filter((payment) => payment.invoiceId === invoiceId);

/** Returns the progress of the payment: `none`, `pending`, `pending at the provider`, `polled` or its outcome. */
async function progressOf(invoiceId: string): Promise<string> {
  const [payment] = await paymentsOf(invoiceId);
  if (!payment) return 'none';
  if (payment.status !== 'pending') return payment.status;
  // The stored attribute of `isPolled`.
  if (payment.isPolled) return 'polled';
  return (await table.get(tableKeys.testProvider(payment.pk))) ? 'pending at the provider' : 'pending';
}

/** Makes one payment without a crash. Returns how many calls it makes. */
async function countCalls(method: PaymentMethod, repeats: boolean): Promise<number> {
  const label = `${method.what}-${count++}`;
  await method.send(method, await newInvoice(), repeats ? label : undefined, { [invocationHeader]: label });
  return layer.invocation(label)?.operations.length ?? 0;
}

/**
 * Makes one payment whose process crashes at call `at`. Then the client repeats it or makes a new payment. Returns
 * undefined if the payment does not make that many calls.
 */
async function crash(method: PaymentMethod, at: number, fault: ScriptedFault, repeats: boolean) {
  const invoiceId = await newInvoice();
  const label = `${method.what}-${count++}`;
  const key = repeats ? label : undefined;
  crashes.set(label, { at, fault });
  const first = await method.send(method, invoiceId, key, { [invocationHeader]: label }).catch(() => {});
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const progress = await progressOf(invoiceId);
  const isAnswered = /^(completed|failed|polled)$/.test(progress);
  const hasApiKey = key !== undefined && method.send === byApi.send;
  if (hasApiKey) {
    const stored = findIdempotencyRecord(await table.all('IDEMPOTENCY#'), client.owner, key);
    expect([progress, stored !== undefined, stored?.status]).toEqual([
      progress,
      progress !== 'none',
      isAnswered ? 201 : undefined,
    ]);
  }
  const response = await method.send(method, invoiceId, key);
  const result = await method.resultOf(response, invoiceId);
  const firstOutcome = isAnswered ? method.outcome : 'pending';
  const isSameResult = key || progress === 'none';
  expect([progress, result]).toEqual([
    progress,
    isSameResult ? method.outcome : method.secondResult[firstOutcome],
  ]);
  if (key) {
    if (hasApiKey) expect(response.headers['idempotent-replayed']).toBe(isAnswered ? 'true' : undefined);
    const repeated = await method.send(method, invoiceId, key);
    expect([repeated.status, repeated.text, repeated.headers.location]).toEqual([
      response.status,
      response.text,
      response.headers.location,
    ]);
    // The stream is paused, so the request itself has updated the lists.
    const { pagination } = (
      await client.api.get(`/api/payments?status=${method.outcome}&invoiceId=${invoiceId}`)
    ).json;
    expect(pagination.total).toBe(1);
  }
  return { progress, invoiceId };
}

/** Pays again, as a client does after a payment in progress has failed. */
async function payAgain(method: PaymentMethod, invoiceId: string) {
  const { status } = (await client.api.get(`/api/invoices/${invoiceId}`)).json;
  if (status === 'paid' || method.outcome === 'failed') return;
  const [abandoned] = await paymentsOf(invoiceId);
  expect(abandoned).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  const response = await method.send(method, invoiceId, undefined);
  expect(await method.resultOf(response, invoiceId)).toBe(method.outcome);
}

test.each(
  methods.flatMap((method) => [
    { method, what: method.what, next: 'repeated', repeats: true },
    { method, what: method.what, next: 'followed by a new payment', repeats: false },
  ]),
)('$what, $next: a crash at any call leads to one payment', async ({ method, repeats }) => {
  await stack.stream.pause();
  await stack.queues.pause();
  const calls = (await countCalls(method, repeats)) + moreCalls;
  const callIndexes = Array.from({ length: calls }, (_, at) => at);
  const cases = callIndexes.flatMap((at) => [
    crash(method, at, 'crash before call', repeats),
    crash(method, at, 'crash after call', repeats),
  ]);
  const crashed = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
  await runUntilQuiescent({ stack, table, clock });
  await Promise.all(crashed.map(({ invoiceId }) => payAgain(method, invoiceId)));
  await runUntilQuiescent({ stack, table, clock });

  const fails = method.outcome === 'failed';
  const { payments } = await expectConsistentMoney(client);
  for (const { invoiceId, progress } of crashed) {
    const own = payments.filter((payment) => payment.invoiceId === invoiceId);
    const completed = own.filter(({ status }) => status === 'completed');
    expect([progress, completed.length]).toEqual([progress, fails ? 0 : 1]);
    if (repeats) expect([progress, own.length]).toEqual([progress, 1]);
    expect(own.length).toBeLessThanOrEqual(2);
  }
  // Crashes happened before, between and after all steps.
  const final = method.outcome === 'pending' ? 'polled' : method.outcome;
  const between = method.number ? ['pending', 'pending at the provider'] : [];
  expect(new Set(crashed.map(({ progress }) => progress))).toEqual(new Set(['none', ...between, final]));
  expect(crashed.length).toBeLessThan(cases.length);
});
