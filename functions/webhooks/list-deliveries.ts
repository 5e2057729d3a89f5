/** GET /api/webhooks/:id/deliveries */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { listDeliveryPage } from '../../shared/webhooks/delivery-log.ts';
import { readWebhook, requireWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.listDeliveries, {
  ahead: async ({ owner, params: { id = '' }, query }) => {
    const [webhook, log] = await Promise.all([readWebhook(owner, id), listDeliveryPage(owner, id, query)]);
    return { webhook, log };
  },
  handle: ({ ahead: { webhook, log } }) => {
    requireWebhook(webhook);
    return log;
  },
});
