/**
 * Measures one paid invoice on the whole stack: the capacity units of its requests and of all background work that follows,
 * and the bytes that stay in the table.
 *
 * - A client creates the invoice, retrieves it, and pays it by card. A webhook endpoint can get all common events.
 * - The stream and the queues are paused during a request. So its units are separate from those of the background.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Stack } from '../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../test/support/api.ts';
import {
  type AttributeMap,
  type CountedCall,
  countUnits,
  sizeOf,
  sumOf,
} from '../test/support/capacity-units.ts';
import type { HttpResponse } from '../test/support/http.ts';
import { tableOf } from '../test/support/table.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { assumptions } from './prices.ts';
import { startBenchReceiver } from './receiver.ts';

export interface UnitSum {
  readonly write: number;
  readonly read: number;
}

/** The bytes of one kind of item that a paid invoice leaves in the table, and for how many months. */
export interface StoredBytes {
  readonly kind: string;
  readonly bytes: number;
  /** Infinity if the item stays forever. */
  readonly months: number;
}

/** The average of several invoices, in the request and in the background that follows from it. */
export interface StepCost {
  readonly request: UnitSum;
  readonly background: UnitSum;
}

export interface PaidInvoiceCost {
  readonly create: StepCost;
  readonly get: StepCost;
  readonly pay: StepCost;
  readonly stored: readonly StoredBytes[];
}

/** The events of each change. The payment of an invoice has two. */
const deliveriesOf = { create: 1, pay: 2 } as const;

/** What one paid invoice consists of. */
export const perPaidInvoice = {
  requests: 3,
  changes: 2,
  deliveries: deliveriesOf.create + deliveriesOf.pay,
} as const;

const invoices = 5;
const monthSeconds = assumptions.daysPerMonth * 24 * 60 * 60;
const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' };
/** The provider of test mode keeps its own records. A real provider keeps them in its own system. */
const ofService = (calls: readonly CountedCall[]) =>
  calls.filter(({ items }) => !items.some(({ kind }) => kind === 'TESTPROVIDER'));

/**
 * Measures paid invoices of a new account, on a stack whose background is paused. Leaves it paused.
 * @param hasEndpoint whether a webhook endpoint gets the events
 */
export async function measurePaidInvoice(stack: Stack, hasEndpoint: boolean): Promise<PaidInvoiceCost> {
  const receiver = await startBenchReceiver();
  const table = tableOf(stack);
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  if (hasEndpoint) expectStatus(await api.post('/api/webhooks', { url: receiver.url, events: ['*'] }), 201);
  const background = async (deliveries: number) => {
    receiver.expect(hasEndpoint ? deliveries : 0);
    for (const part of [stack.stream, stack.queues]) part.resume();
    await waitUntil('all changes are relayed and delivered', async () => {
      const outbox = await table.outboxOf(`${accountId}#test`);
      return outbox.length === 0 && receiver.isComplete();
    });
    await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  };
  const counter = countUnits(stack);
  const measure = async (status: number, deliveries: number, send: () => Promise<HttpResponse>) => {
    counter.take();
    const { json } = expectStatus(await send(), status);
    const request = ofService(counter.take());
    if (deliveries > 0) await background(deliveries);
    return { id: String(json.id), request, background: ofService(counter.take()) };
  };
  const createAndPay = async (order: number) => {
    const underKey = (name: string) => ({ headers: { 'Idempotency-Key': `${name}-${order}` } });
    const fields = { customerId: 'accounts@example-company.com', description: 'd'.repeat(100) };
    const send = () => api.post('/api/invoices', invoiceBody(fields), underKey('order'));
    const create = await measure(201, deliveriesOf.create, send);
    const get = await measure(200, 0, () => api.get(`/api/invoices/${create.id}`));
    const body = { invoiceId: create.id, method: 'card', card };
    const pay = await measure(201, deliveriesOf.pay, () => api.post('/api/payments', body, underKey('pay')));
    return { create, get, pay };
  };
  try {
    // Events of other accounts may wait, and the first invoice fills caches.
    await background(0);
    await createAndPay(0);
    const before = await sizesOf(stack);
    const measured: Awaited<ReturnType<typeof createAndPay>>[] = [];
    for (let order = 1; order <= invoices; order++) measured.push(await createAndPay(order));
    const average = (step: 'create' | 'get' | 'pay'): StepCost => ({
      request: averageOf(measured.map((each) => each[step].request)),
      background: averageOf(measured.map((each) => each[step].background)),
    });
    const stored = growthOf(before, await sizesOf(stack));
    return { create: average('create'), get: average('get'), pay: average('pay'), stored };
  } finally {
    counter.remove();
    receiver.close();
  }
}

function averageOf(invocations: readonly (readonly CountedCall[])[]): UnitSum {
  const calls = invocations.flat();
  return {
    write: sumOf(calls, 'write') / invocations.length,
    read: sumOf(calls, 'read') / invocations.length,
  };
}

function expectStatus(response: HttpResponse, expected: number): HttpResponse {
  const { status, text } = response;
  if (status !== expected) throw new Error(`A request returned the status ${status}: ${text}`);
  return response;
}

/** The bytes in the table, by kind of item and by lifetime in months. */
type Sizes = ReadonlyMap<string, number>;

async function sizesOf(stack: Stack): Promise<Sizes> {
  const sizes = new Map<string, number>();
  const seconds = Date.now() / 1000;
  for (const item of await tableOf(stack).all('')) {
    const kind = /^[A-Za-z]+/.exec(item.pk)?.[0] ?? '';
    if (kind === 'TESTPROVIDER') continue;
    const months = item.expiresAt === undefined ? monthsOf(kind) : (item.expiresAt - seconds) / monthSeconds;
    // Items of one kind live equally long. They were stored at slightly different times.
    const key = `${kind} ${Number.isFinite(months) ? Math.max(0.03, Math.round(months * 10) / 10) : months}`;
    const bytes = sizeOf(marshall(item) as unknown as AttributeMap) + assumptions.itemOverheadBytes;
    sizes.set(key, (sizes.get(key) ?? 0) + bytes);
  }
  return sizes;
}

/** The lifetime of an item without an expiry. The timer of an invoice is deleted when the invoice is due. */
const monthsOf = (kind: string) => (kind === 'TIMER' ? 1 : Number.POSITIVE_INFINITY);

/** Returns what each invoice has added. */
function growthOf(before: Sizes, after: Sizes): StoredBytes[] {
  return [...after].flatMap(([key, bytes]) => {
    const [kind = '', months] = key.split(' ');
    const added = (bytes - (before.get(key) ?? 0)) / invoices;
    return added > 0 ? [{ kind, bytes: added, months: Number(months) }] : [];
  });
}
