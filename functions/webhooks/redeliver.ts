/** POST /api/webhooks/:id/deliveries/:deliveryId/redeliver */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readDeliveryOf, redeliverNow } from '../../shared/webhooks/redelivery.ts';

export const handler = endpoint(routes.redeliver, {
  ahead: ({ owner, params: { id = '', deliveryId = '' } }) => readDeliveryOf(owner, id, deliveryId),
  handle: ({ ahead: { webhook, delivery } }) => redeliverNow(webhook, delivery),
});
