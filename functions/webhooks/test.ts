/** POST /api/webhooks/:id/test */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readHealth } from '../../shared/domain/webhooks/health-store.ts';
import { testEndpoint } from '../../shared/domain/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.testWebhook, {
  load: ({ owner, params: { id = '' } }) => Promise.all([readWebhook(owner, id), readHealth(id)]),
  handle: ({ loaded: [webhook, health], now }) => testEndpoint(webhook, health, now),
});
