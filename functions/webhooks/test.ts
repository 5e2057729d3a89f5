/** POST /api/webhooks/:id/test */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readHealth } from '../../shared/webhooks/health-store.ts';
import { tested } from '../../shared/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.testWebhook, {
  ahead: ({ claim, params: { id = '' } }) => Promise.all([readWebhook(claim, id), readHealth(id)]),
  handle: ({ ahead: [webhook, health], now }) => tested(webhook, health, now),
});
