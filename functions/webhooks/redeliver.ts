/** POST /api/webhooks/:id/deliveries/:deliveryId/redeliver */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readDeliveryOf, redeliverNow } from '../../shared/domain/webhooks/redelivery.ts';

export const handler = endpoint(routes.redeliver, {
  load: ({ owner, params: { id = '', deliveryId = '' } }) => readDeliveryOf(owner, id, deliveryId),
  handle: ({ loaded: { webhook, delivery } }) => redeliverNow(webhook, delivery),
});
