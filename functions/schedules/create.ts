/** POST /api/schedules */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';
import { createScheduleCommand, newTemplate } from '../../shared/domain/schedules/schedule-store.ts';
import { fillInvoice } from '../../shared/operations/schedules/fill-invoice.ts';
import { checkTemplate } from '../../shared/operations/schedules/prepare-occurrence.ts';

export const handler = endpoint(routes.createSchedule, {
  load: ({ owner, body, now }) =>
    Promise.all([readProductsOf(owner, body.invoice, 'all'), readPageSettings(owner.account, now)]),
  handle: async ({ principal, loaded, body: { invoice, ...body }, clock: { account: now } }) => {
    const [products, { timeZone = 'UTC' }] = loaded;
    const filled = await fillInvoice(principal, invoice, invoice.currency, 'all', products, now);
    const check = checkTemplate(principal, now);
    return createScheduleCommand(principal, body, newTemplate(filled), check, { timeZone, now });
  },
});
