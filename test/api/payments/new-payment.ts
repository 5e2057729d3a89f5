/** Creates payments as a client does, and waits for their outcomes. */
import { expect } from '@jest/globals';
import { type Api, invoiceBody } from '../../support/api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The numbers of test cards, by their outcomes. */
export const cardNumbers = {
  good: '4242424242424242',
  declined: '4000000000000002',
  slow: '4000000000000077',
  refundFails: '4000000000005126',
  disputed: '4000000000000259',
} as const;

export const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
export const isReplay = ({ headers }: HttpResponse) => headers['idempotent-replayed'] === 'true';

/** Runs `work` `count` times in parallel. */
export const repeatInParallel = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Returns the code of each error and the status of each success, sorted. */
export const codesOf = (responses: readonly HttpResponse[]) =>
  responses.map(({ status, json }) => (status < 400 ? status : json.error.code)).sort();

/** Returns a valid card. */
export function cardOf(number: string = cardNumbers.good, fields: Record<string, unknown> = {}) {
  return { number, expMonth: 12, expYear: 2040, cvc: '123', ...fields };
}

/** Returns a body of `POST /api/payments` with a card. */
export function cardBody(invoiceId: string, number?: string, fields: Record<string, unknown> = {}) {
  return { invoiceId, method: 'card', card: cardOf(number), ...fields };
}

/** Returns a body of `POST /api/payments` for money received outside the service. */
export function offlineBody(invoiceId: string, fields: Record<string, unknown> = {}) {
  return { invoiceId, method: 'offline', ...fields };
}

// biome-ignore lint/suspicious/noExplicitAny: resources in responses
type Shown = any;

export async function newInvoice(api: Api, fields: Record<string, unknown> = {}): Promise<Shown> {
  const { json, status } = await api.post('/api/invoices', invoiceBody(fields));
  expect(status).toBe(201);
  return json;
}

/** Creates an invoice and pays it: with a card, or offline if there is no number. Returns both as in the responses. */
export async function newPayment(api: Api, number?: string, fields: Record<string, unknown> = {}) {
  const invoice = await newInvoice(api, fields);
  const body = number === undefined ? offlineBody(invoice.id) : cardBody(invoice.id, number);
  const { json, status } = await api.post('/api/payments', body);
  expect(status).toBe(201);
  return { invoice, payment: json as Shown };
}

/** Waits until the resource at `path` is ready, and returns it. */
export function waitForResource(api: Api, path: string, isReady: (shown: Shown) => boolean): Promise<Shown> {
  return waitUntil(
    `${path} is ready`,
    async () => {
      const { json } = await api.get(path);
      return isReady(json) && json;
    },
    { everyMs: 100 },
  );
}

/** Waits until a payment or refund is no longer pending, and returns it. */
export function waitForOutcome(api: Api, kind: 'payments' | 'refunds', id: string): Promise<Shown> {
  return waitForResource(api, `/api/${kind}/${id}`, ({ status }) => status !== 'pending');
}

/** Waits until a list has as many records as `expected`, because a worker changes lists after the records. */
export async function expectListed(api: Api, path: string, expected: readonly unknown[]): Promise<void> {
  const hasAll = async () => {
    const { data } = (await api.get(path)).json;
    return data.length === expected.length && data;
  };
  expect(await waitUntil(`${path} has ${expected.length} records`, hasAll)).toEqual(expected);
}
