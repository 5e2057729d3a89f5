/** Payments as clients and payers make them: cards, bodies and the page's form. */
import { freshAddress, type HttpResponse, request } from './http.ts';

export const cards = {
  completes: '4242424242424242',
  declined: '4000000000000002',
  settlesLater: '4000000000000077',
  refundFailsLater: '4000000000005126',
} as const;

/** The body of `POST /api/payments` with a card. */
export function cardBody(invoiceId: string, number: string): Record<string, unknown> {
  return { invoiceId, method: 'card', card: { number, expMonth: 12, expYear: 2090, cvc: '123' } };
}

/** The name of the `count`-th attempt. */
export const attemptOf = (count: number) => String(count).padStart(26, '0');

/** Sends the page's form for an invoice of 2500 in its first version, from an address of its own. */
export function submitForm(
  baseUrl: string,
  invoiceId: string,
  { attempt, number }: { attempt: string; number: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const fields = { attempt, version: '1', amount: '2500', number, expiry: '12/90', cvc: '123' };
  return request({
    baseUrl,
    method: 'POST',
    path: `/pay/${invoiceId}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
    localAddress: freshAddress(),
  });
}
