/**
 * Measures how many capacity units payments and refunds cost, in the request and in the background. It corresponds to
 * `test/support/priced-requests.ts` for invoices. The test provider's own items are left out, because a real provider
 * has a database of its own.
 */
import type { Stack } from '../../../infra/local/stack.ts';
import { fromOutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import { pageSize } from '../../../shared/store/keys.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { type CountedCall, countUnits } from '../../support/capacity-units.ts';
import { setClock } from '../../support/clock.ts';
import type { HttpResponse } from '../../support/http.ts';
import { freezeStack, type PricedRequest } from '../../support/priced-requests.ts';
import type { TestTable } from '../../support/table.ts';
import { cardBody, cardNumbers, newInvoice, offlineBody, underKey } from './new-payment.ts';

const invoiceFields = { customerId: 'accounts@example-company.com', description: 'd'.repeat(100) };
const reference = 'Bank transfer of 21 November 2026, slip 4711';
const reason = 'Two of the chairs arrived damaged and were sent back.';

/** Runs each request once, on a stack whose clock and background work it stops. */
export async function pricePayments(stack: Stack): Promise<PricedRequest[]> {
  process.env.PAY_URL_BASE = 'https://abcde12345.execute-api.eu-central-1.amazonaws.com/prod/pay';
  const { clock, table } = await freezeStack(stack);
  const { test: api } = await newAccount(stack.baseUrl);
  const counter = countUnits(stack);
  const relayAll = () => relayEach(table, clock.now());
  const price: Price = async (name, send) => {
    await fillPages(table);
    clock.advance(1_234);
    counter.take();
    const { status, text, json } = await send();
    if (status >= 400) throw new Error(`${name} failed with ${status}: ${text}`);
    const request = ofService(counter.take());
    await relayAll();
    return { answer: json, priced: { name, request, background: ofService(counter.take()) } };
  };
  try {
    return await priceEach(api, price, relayAll);
  } finally {
    counter.remove();
    setClock();
    process.env.PAY_URL_BASE = stack.payUrlBase;
  }
}

type Price = (
  name: string,
  send: () => Promise<HttpResponse>,
) => Promise<{ answer: { id: string }; priced: PricedRequest }>;

async function priceEach(api: Api, price: Price, relayAll: () => Promise<void>): Promise<PricedRequest[]> {
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) ids.push((await newInvoice(api, invoiceFields)).id);
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = ids;
  await relayAll();
  const pay = (body: object, options = {}) => api.post('/api/payments', body, options);
  const refund = (paymentId: string, options = {}) =>
    api.post('/api/refunds', { paymentId, amount: 1, reason }, options);

  const offline = await price('offline', () => pay(offlineBody(first, { reference })));
  const offlineKey = await price('offline, with key', () =>
    pay(offlineBody(second, { reference }), underKey('offline')),
  );
  const card = await price('card', () => pay(cardBody(third)));
  const cardKey = await price('card, with key', () => pay(cardBody(fourth), underKey('card')));
  const declinedKey = await price('card declined, with key', () =>
    pay(cardBody(fifth, cardNumbers.declined), underKey('declined')),
  );
  const slowKey = await price('card pending, with key', () =>
    pay(cardBody(sixth, cardNumbers.slow), underKey('pending')),
  );
  const replayed = await price('card, replayed', () => pay(cardBody(fourth), underKey('card')));
  const refunded = await price('refund', () => refund(card.answer.id));
  const refundedKey = await price('refund, with key', () => refund(card.answer.id, underKey('refund')));
  return [offline, offlineKey, card, cardKey, declinedKey, slowKey, replayed, refunded, refundedKey].map(
    ({ priced }) => priced,
  );
}

const ofService = (calls: readonly CountedCall[]) =>
  calls.filter(({ items }) => !items.some(({ kind }) => kind === 'TESTPROVIDER'));

/**
 * Adds all numbers of each page to as many sets as a record can have statuses, so the pages have their largest size.
 */
async function fillPages(table: TestTable): Promise<void> {
  const all = new Set(Array.from({ length: pageSize }, (_, low) => Uint8Array.of(low)));
  for (const page of await table.all('INDEX#')) await table.put({ ...page, c: all, o: all, p: all });
}

async function relayEach(table: TestTable, now: number): Promise<void> {
  const { relay } = await import('../../../shared/operations/outbox/relay.ts');
  for (const item of await table.all('OUTBOX#')) await relay(fromOutboxItem(item), now);
}
