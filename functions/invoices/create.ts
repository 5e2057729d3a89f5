/** POST /api/invoices */
import { readPageSettings } from '../../shared/accounts/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { createInvoiceCommand } from '../../shared/invoices/store.ts';
import { readPageConnections } from '../../shared/payments/connections/store.ts';
import { paymentProblemOf } from '../../shared/payments/payment-ways.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createInvoice, {
  // The settings and connections are at most 30 seconds old.
  warn: async ({ owner, body, now }) => {
    if (owner.mode === 'test') return undefined;
    const [settings, connections] = await Promise.all([
      readPageSettings(owner.account, now),
      readPageConnections(owner, now),
    ]);
    return paymentProblemOf(settings, connections, body);
  },
  handle: ({ principal, body, accountNow }) => createInvoiceCommand(principal, body, accountNow),
});
