/** POST /api/webhooks/:id/test */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readHealth } from '../../shared/webhooks/health-store.ts';
import { testEndpoint } from '../../shared/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.testWebhook, {
  ahead: ({ owner, params: { id = '' } }) => Promise.all([readWebhook(owner, id), readHealth(id)]),
  handle: ({ ahead: [webhook, health], now }) => testEndpoint(webhook, health, now),
});
