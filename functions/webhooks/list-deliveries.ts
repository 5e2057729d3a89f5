/** GET /api/webhooks/:id/deliveries */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listDeliveryPage } from '../../shared/domain/webhooks/delivery-log.ts';
import { readWebhook, requireWebhook } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.listDeliveries, {
  load: async ({ owner, params: { id = '' }, query }) => {
    const [webhook, log] = await Promise.all([readWebhook(owner, id), listDeliveryPage(owner, id, query)]);
    return { webhook, log };
  },
  handle: ({ loaded: { webhook, log } }) => {
    requireWebhook(webhook);
    return log;
  },
});
