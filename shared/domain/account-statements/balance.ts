/** Computes what a customer owes, by currency and age, as the summary of the account does. Pure. */
import { addSums, type Sum } from '../../base/exact-sum.ts';
import { type Currency, currencies } from '../../base/money.ts';
import { dueDayIn } from '../accounts/fiscal-year.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf } from '../invoices/received-money.ts';
import { agesOf } from '../journal/summarize.ts';
import type { Ages } from '../journal/summary.ts';
import { outstanding } from '../journal/sums.ts';
import { creditLeftOf } from '../payments/credit.ts';
import type { Payment } from '../payments/payment.ts';

/** What a customer owes in a currency, and what it has paid too much. */
export interface Balance {
  readonly currency: Currency;
  readonly outstanding: Sum;
  /** What of it was due before today. */
  readonly overdue: Sum;
  readonly ages: Ages;
  readonly credit: Sum;
}

/** The day from which ages are counted. */
export interface BalanceDay {
  /** The day in the time zone, as `YYYY-MM-DD`. */
  readonly today: string;
  /** An IANA name. It decides on which day an invoice is due. */
  readonly timeZone: string;
}

/**
 * Returns the balances of the currencies in which something is due, or credit is left.
 * @param credits the payments with credit
 */
export function balancesOf(
  invoices: readonly Invoice[],
  credits: readonly Payment[],
  { today, timeZone }: BalanceDay,
): readonly Balance[] {
  return currencies.flatMap((currency) => {
    const isOfCurrency = (record: Invoice | Payment) => record.currency === currency;
    const days = invoices.filter(isOfCurrency).map((invoice) => ({
      day: dueDayIn(timeZone, Date.parse(invoice.dueDate)),
      item: { [`${currency}:${outstanding}`]: amountDueOf(invoice) },
    }));
    const total = sumOf(invoices.filter(isOfCurrency).map(amountDueOf));
    const credit = sumOf(credits.filter(isOfCurrency).map(creditLeftOf));
    if (total === 0 && credit === 0) return [];
    const ages = agesOf(currency, today, days, total);
    return [{ currency, outstanding: total, overdue: addSums(total, -ages.notDue), ages, credit }];
  });
}

const sumOf = (amounts: readonly number[]): Sum => amounts.reduce<Sum>(addSums, 0);
