/** Defines what the API says that a customer owes. */
import * as v from 'valibot';
import { sumSchema } from '../../base/exact-sum.ts';
import { currencySchema } from '../../base/money.ts';
import { customerFilter } from '../invoices/invoice.ts';
import { currencySummarySchema } from '../journal/summary.ts';

/** The query of a balance. */
export const balanceQuery = /* @__PURE__ */ v.strictObject({ customerId: customerFilter });

const { outstanding, overdue, ages } = currencySummarySchema.entries;

/** The balance of a customer in a currency. */
export const currencyBalanceSchema = v.strictObject({
  currency: currencySchema,
  outstanding,
  overdue,
  ages,
  credit: sumSchema,
});

export const balanceSchema = v.strictObject({
  customerId: v.string(),
  timeZone: v.string(),
  today: v.string(),
  asOf: v.string(),
  hasMore: v.boolean(),
  currencies: v.array(currencyBalanceSchema),
});
