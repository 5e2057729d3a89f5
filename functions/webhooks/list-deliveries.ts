/** GET /api/webhooks/:id/deliveries */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { listDeliveries } from '../../shared/webhooks/delivery-log.ts';
import { foundWebhook, readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.listDeliveries, {
  ahead: async ({ claim, params: { id = '' }, query }) => {
    const [webhook, log] = await Promise.all([readWebhook(claim, id), listDeliveries(claim, id, query)]);
    return { webhook, log };
  },
  handle: ({ ahead: { webhook, log } }) => {
    foundWebhook(webhook);
    return log;
  },
});
