/** Claims to have paid an invoice by bank transfer, as a payer does on its payment page. */
import type { HttpResponse } from './http.ts';
import { submit } from './pay-page.ts';

/** Returns the form of a payer who paid 25.00 some time ago. */
export const claimFormOf = (fields: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  claim: '1',
  bank: 'Bank of Bhutan',
  reference: 'JRN 120455',
  paidOn: '2026-01-05',
  amount: '25.00',
  ...fields,
});

/** Sends the form, from a new source address. */
export const claimOnPage = (
  { paymentUrl }: { readonly paymentUrl: string },
  fields?: Readonly<Record<string, string>>,
): Promise<HttpResponse> => submit(paymentUrl, claimFormOf(fields));
