/** Claims to have paid an invoice by bank transfer, as a payer does on its payment page. */
import type { HttpResponse } from './http.ts';
import { submit } from './pay-page.ts';

const dayMs = 86_400_000;
const dayOfClaimMs = Date.now() - 30 * dayMs;

/** Returns the day, as `YYYY-MM-DD`, that is so many days after the one on which the payer paid, a month ago. */
export const claimDay = (daysAfter = 0): string =>
  new Date(dayOfClaimMs + daysAfter * dayMs).toISOString().slice(0, 10);

/** Returns the form of a payer who paid 25.00 a month ago. */
export const claimFormOf = (fields: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  claim: '1',
  bank: 'Bank of Bhutan',
  reference: 'JRN 120455',
  paidOn: claimDay(),
  amount: '25.00',
  ...fields,
});

/** Sends the form, from a new source address. */
export const claimOnPage = (
  { paymentUrl }: { readonly paymentUrl: string },
  fields?: Readonly<Record<string, string>>,
): Promise<HttpResponse> => submit(paymentUrl, claimFormOf(fields));
