/** Gives the lines of a request the rates of the taxes of the account. */
import type { Instant } from '../../base/time.ts';
import { hasOwnTax, type RatedBody, withRates } from '../charges/own-taxes.ts';
import { dayIn } from './fiscal-year.ts';
import { readSeller } from './seller-store.ts';

/**
 * Returns a body whose lines with a tax of the account have its name and its rate. Reads the seller profile only if there is such a
 * line.
 * @param at the time of the invoice, whose day in the time zone of the seller decides the rate
 * @throws ApiError `invalid_lines` if the account has no such tax on that day
 */
export async function withOwnTaxes<Body extends RatedBody>(
  account: string,
  body: Body,
  at: Instant,
): Promise<Body> {
  if (!hasOwnTax(body)) return body;
  const { taxes = [], timeZone = 'UTC' } = (await readSeller(account)) ?? {};
  return withRates(body, taxes, dayIn(timeZone, at));
}
