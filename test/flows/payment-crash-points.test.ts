import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { keys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import { idempotencyOf } from '../support/audit-table.ts';
import type { Observed } from '../support/chains-agree.ts';
import type { TestClock } from '../support/clock.ts';
import { comeToRest } from '../support/come-to-rest.ts';
import type { Deaths } from '../support/dying-workers.ts';
import type { Fate, FaultLayer } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { agreedMoney } from '../support/money-agrees.ts';
import { type MortalStack, startMortalStack } from '../support/mortal-stack.ts';
import { attemptOf, cardBody, cards, submitForm } from '../support/pay.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let client: Observed;
let deaths: Deaths;
let mortal: MortalStack;

beforeAll(async () => {
  mortal = await startMortalStack();
  ({ stack, table, clock, layer, deaths } = mortal);
});
beforeEach(async () => {
  client = await mortal.newClient();
});
afterAll(() => mortal.close());

type Outcome = 'completed' | 'failed' | 'pending';

/** A way to pay. `outcome` is what the payer is told; it is pending only until the provider knows. */
interface Way {
  readonly what: string;
  readonly number: string;
  readonly outcome: Outcome;
  /** @param key names what is repeated; without one it is something new each time */
  readonly send: (
    way: Way,
    invoiceId: string,
    key: string | undefined,
    headers?: Record<string, string>,
  ) => Promise<HttpResponse>;
  /** What an answer told: what became of the payment, or why nothing was charged. */
  readonly told: (answer: HttpResponse, invoiceId: string) => string | Promise<string>;
  /** What somebody is told who pays anew. */
  readonly anew: Readonly<Record<Outcome, string>>;
}

const byApi: Pick<Way, 'send' | 'told' | 'anew'> = {
  send: ({ number }, invoiceId, key, headers) => {
    const body = number ? cardBody(invoiceId, number) : { invoiceId, method: 'offline' };
    return client.api.post('/api/payments', body, {
      headers: { ...(key && { 'Idempotency-Key': key }), ...headers },
    });
  },
  told: ({ status, json }) => (status === 201 ? json.status : json.error.code),
  anew: { completed: 'invoice_already_paid', pending: 'payment_in_progress', failed: 'failed' },
};

let attempts = 0;
const byPage: Pick<Way, 'send' | 'told' | 'anew'> = {
  send: ({ number }, invoiceId, key, headers) => {
    const attempt = attemptOf(key ? 0 : ++attempts);
    return submitForm(stack.baseUrl, invoiceId, { attempt, number }, headers);
  },
  told: async ({ status, headers }, invoiceId) => {
    if (status !== 303) return `status ${status}`;
    if (headers.location?.startsWith('?payment=')) return 'failed';
    const invoice = await table.get(keys.record(invoiceId));
    if (invoice?.paymentInProgress) return 'pending';
    return invoice?.status === 'paid' ? 'completed' : 'nothing';
  },
  anew: { completed: 'completed', pending: 'pending', failed: 'failed' },
};

const ways: readonly Way[] = [
  { ...byApi, what: 'an offline payment', number: '', outcome: 'completed' },
  { ...byApi, what: 'a card that completes', number: cards.completes, outcome: 'completed' },
  { ...byApi, what: 'a card that is declined', number: cards.declined, outcome: 'failed' },
  { ...byApi, what: 'a card whose outcome is known later', number: cards.settlesLater, outcome: 'pending' },
  { ...byPage, what: 'the page, a card that completes', number: cards.completes, outcome: 'completed' },
  { ...byPage, what: 'the page, a card that is declined', number: cards.declined, outcome: 'failed' },
  {
    ...byPage,
    what: 'the page, a card whose outcome is known later',
    number: cards.settlesLater,
    outcome: 'pending',
  },
];

/** More than any way makes. */
const mostCalls = 16;
let count = 0;

const newInvoice = async (): Promise<string> =>
  (await client.api.post('/api/invoices', invoiceBody())).json.id;
const paymentsOf = async (invoiceId: string) =>
  (await table.all('pay_')).filter((payment) => payment.invoiceId === invoiceId);

/** How far it had come: `none`, `pending`, `pending at the provider`, or its outcome. */
async function progressOf(invoiceId: string): Promise<string> {
  const [payment] = await paymentsOf(invoiceId);
  if (!payment) return 'none';
  if (payment.status !== 'pending') return payment.status;
  if (payment.awaited) return 'awaited';
  return (await table.get(keys.testProvider(payment.pk))) ? 'pending at the provider' : 'pending';
}

/** One payment whose process dies at a call, and what the client does next. Returns undefined if it has no such call. */
async function crash(way: Way, at: number, fate: Fate, repeats: boolean) {
  const invoiceId = await newInvoice();
  const label = `${way.what}-${count++}`;
  const key = repeats ? label : undefined;
  deaths.set(label, { at, fate });
  const first = await way.send(way, invoiceId, key, { [invocationHeader]: label }).catch(() => {});
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const progress = await progressOf(invoiceId);
  const answered = /^(completed|failed|awaited)$/.test(progress);
  const byKey = key !== undefined && way.send === byApi.send;
  if (byKey) {
    const kept = idempotencyOf(await table.all('IDEMPOTENCY#'), client.owner, key);
    expect([progress, kept !== undefined, kept?.status]).toEqual([
      progress,
      progress !== 'none',
      answered ? 201 : undefined,
    ]);
  }
  const answer = await way.send(way, invoiceId, key);
  const told = await way.told(answer, invoiceId);
  const inTheWay = answered ? way.outcome : 'pending';
  expect([progress, told]).toEqual([progress, key || progress === 'none' ? way.outcome : way.anew[inTheWay]]);
  if (key) {
    if (byKey) expect(answer.headers['idempotent-replayed']).toBe(answered ? 'true' : undefined);
    const repeated = await way.send(way, invoiceId, key);
    expect([repeated.status, repeated.text, repeated.headers.location]).toEqual([
      answer.status,
      answer.text,
      answer.headers.location,
    ]);
    // The stream stands still: what the answer told is in the lists without it.
    const { pagination } = (
      await client.api.get(`/api/payments?status=${way.outcome}&invoiceId=${invoiceId}`)
    ).json;
    expect(pagination.total).toBe(1);
  }
  return { progress, invoiceId };
}

/** Whoever was told that a payment was in progress, and learns that it failed, pays once more. */
async function payAgain(way: Way, invoiceId: string) {
  const { status } = (await client.api.get(`/api/invoices/${invoiceId}`)).json;
  if (status === 'paid' || way.outcome === 'failed') return;
  const [abandoned] = await paymentsOf(invoiceId);
  expect(abandoned).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  const answer = await way.send(way, invoiceId, undefined);
  expect(await way.told(answer, invoiceId)).toBe(way.outcome);
}

test.each(
  ways.flatMap((way) => [
    { way, what: way.what, next: 'repeated', repeats: true },
    { way, what: way.what, next: 'made anew', repeats: false },
  ]),
)(
  '$what, $next: whatever call the process dies at, that and the background lead to one payment',
  async ({ way, repeats }) => {
    await stack.stream.pause();
    await stack.queues.pause();
    const places = Array.from({ length: mostCalls }, (_, at) => at);
    const cases = places.flatMap((at) => [
      crash(way, at, 'dies before', repeats),
      crash(way, at, 'dies after', repeats),
    ]);
    const deadly = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
    await comeToRest({ stack, table, clock });
    await Promise.all(deadly.map(({ invoiceId }) => payAgain(way, invoiceId)));
    await comeToRest({ stack, table, clock });

    const fails = way.outcome === 'failed';
    const { payments } = await agreedMoney(client);
    for (const { invoiceId, progress } of deadly) {
      const own = payments.filter((payment) => payment.invoiceId === invoiceId);
      const completed = own.filter(({ status }) => status === 'completed');
      expect([progress, completed.length]).toEqual([progress, fails ? 0 : 1]);
      if (repeats) expect([progress, own.length]).toEqual([progress, 1]);
      expect(own.length).toBeLessThanOrEqual(2);
    }
    // There were deaths before, between and after what is to be done.
    const final = way.outcome === 'pending' ? 'awaited' : way.outcome;
    const between = way.number ? ['pending', 'pending at the provider'] : [];
    expect(new Set(deadly.map(({ progress }) => progress))).toEqual(new Set(['none', ...between, final]));
    expect(deadly.length).toBeLessThan(cases.length);
  },
);
