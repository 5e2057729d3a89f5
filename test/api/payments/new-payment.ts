/** Payments as a client makes them, and the wait for what becomes of them. */
import { expect } from '@jest/globals';
import { type Api, invoiceBody } from '../../support/api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The test cards, by what becomes of them. */
export const cardNumbers = {
  good: '4242424242424242',
  declined: '4000000000000002',
  slow: '4000000000000077',
  refundFails: '4000000000005126',
} as const;

export const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
export const isReplay = ({ headers }: HttpResponse) => headers['idempotent-replayed'] === 'true';

/** Does `work` so many times at once. */
export const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** The code of each error, and the status of each success. */
export const codesOf = (responses: readonly HttpResponse[]) =>
  responses.map(({ status, json }) => (status < 400 ? status : json.error.code)).sort();

/** A card that has all it needs. */
export function cardOf(number: string = cardNumbers.good, fields: Record<string, unknown> = {}) {
  return { number, expMonth: 12, expYear: 2040, cvc: '123', ...fields };
}

/** A body of `POST /api/payments` with that card. */
export function cardBody(invoiceId: string, number?: string, fields: Record<string, unknown> = {}) {
  return { invoiceId, method: 'card', card: cardOf(number), ...fields };
}

/** A body of `POST /api/payments` for money received outside. */
export function offlineBody(invoiceId: string, fields: Record<string, unknown> = {}) {
  return { invoiceId, method: 'offline', ...fields };
}

// biome-ignore lint/suspicious/noExplicitAny: resources as they were answered
type Shown = any;

export async function newInvoice(api: Api, fields: Record<string, unknown> = {}): Promise<Shown> {
  const { json, status } = await api.post('/api/invoices', invoiceBody(fields));
  expect(status).toBe(201);
  return json;
}

/** A new invoice, paid with a card or, without a number, outside; the payment as it was answered. */
export async function newPayment(api: Api, number?: string, fields: Record<string, unknown> = {}) {
  const invoice = await newInvoice(api, fields);
  const body = number === undefined ? offlineBody(invoice.id) : cardBody(invoice.id, number);
  const { json, status } = await api.post('/api/payments', body);
  expect(status).toBe(201);
  return { invoice, payment: json as Shown };
}

/** The resource under `path`, once it is as awaited. */
export function waitFor(api: Api, path: string, isReady: (shown: Shown) => boolean): Promise<Shown> {
  return waitUntil(
    `${path} is as awaited`,
    async () => {
      const { json } = await api.get(path);
      return isReady(json) && json;
    },
    { everyMs: 100 },
  );
}

/** The payment or refund, once it is not pending any more. */
export function waitForOutcome(api: Api, kind: 'payments' | 'refunds', id: string): Promise<Shown> {
  return waitFor(api, `/api/${kind}/${id}`, ({ status }) => status !== 'pending');
}
