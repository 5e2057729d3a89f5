/** GET /api/balance: what a customer owes now. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { withExactText } from '../../shared/base/exact-sum.ts';
import { toTimestamp } from '../../shared/base/time.ts';
import { readCustomerBalance } from '../../shared/domain/account-statements/customer-balance-store.ts';
import { maxOfCustomer } from '../../shared/domain/account-statements/statement-store.ts';
import { readCurrentPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { dayIn } from '../../shared/domain/accounts/fiscal-year.ts';
import { readInvoiceIndex } from '../../shared/domain/invoices/invoice-store.ts';
import { customerFilterKey } from '../../shared/domain/invoices/record.ts';
import { readFreeCredits } from '../../shared/domain/payments/credit-store.ts';

export const handler = endpoint(routes.getBalance, {
  load: ({ owner, query: { customerId } }) =>
    Promise.all([
      readInvoiceIndex(owner, { customerId }),
      customerFilterKey(customerId).then((key) => readFreeCredits(owner, key, maxOfCustomer)),
      readCurrentPageSettings(owner.account),
    ]),
  handle: async ({ principal, query, loaded: [invoices, credits, settings], clock }) => {
    const { timeZone = 'UTC' } = settings;
    const day = { today: dayIn(timeZone, clock.account), timeZone };
    const { balances, hasMore } = await readCustomerBalance(principal, { invoices, credits }, day);
    const asOf = toTimestamp(clock.account);
    const { customerId } = query;
    return withExactText({ customerId, ...day, asOf, hasMore, currencies: [...balances] });
  },
});
