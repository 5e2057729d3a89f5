/** POST /api/webhooks/:id/deliveries/:deliveryId/redeliver */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readDeliveryOf, redelivered } from '../../shared/webhooks/redelivery.ts';

export const handler = endpoint(routes.redeliver, {
  ahead: ({ claim, params: { id = '', deliveryId = '' } }) => readDeliveryOf(claim, id, deliveryId),
  handle: ({ ahead: { webhook, delivery } }) => redelivered(webhook, delivery),
});
