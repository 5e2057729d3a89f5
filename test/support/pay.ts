/** Makes payments in tests: card numbers, request bodies and the form of the payment page. */
import { freshAddress, type HttpResponse, request } from './http.ts';

export const cards = {
  completes: '4242424242424242',
  declined: '4000000000000002',
  settlesLater: '4000000000000077',
  refundFailsLater: '4000000000005126',
} as const;

/** Returns the body of `POST /api/payments` with a card. */
export function cardPaymentBody(invoiceId: string, number: string): Record<string, unknown> {
  return { invoiceId, method: 'card', card: { number, expMonth: 12, expYear: 2090, cvc: '123' } };
}

/** Returns the id of the attempt with this number. */
export const attemptOf = (count: number) => String(count).padStart(26, '0');

/** Sends the page's form for an invoice of 2500 in its first version, from a new source address. */
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
