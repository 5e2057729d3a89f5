/** PATCH /api/schedules/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';
import { readSchedule, updateScheduleCommand } from '../../shared/domain/schedules/schedule-store.ts';
import { fillInvoice } from '../../shared/operations/schedules/fill-invoice.ts';
import { checkTemplate } from '../../shared/operations/schedules/prepare-occurrence.ts';

export const handler = endpoint(routes.updateSchedule, {
  load: ({ owner, params, body }) =>
    Promise.all([
      readSchedule(owner, params.id ?? ''),
      readProductsOf(owner, body.invoice ?? {}, 'incomplete'),
    ]),
  handle: async ({
    principal,
    loaded: [schedule, products],
    body: { invoice, ...body },
    clock: { account: now },
  }) => {
    const currency = invoice?.currency ?? schedule.template?.content.currency;
    const filled = invoice && (await fillInvoice(principal, invoice, currency, 'incomplete', products, now));
    return updateScheduleCommand(schedule, body, filled, checkTemplate(principal, now), now);
  },
});
