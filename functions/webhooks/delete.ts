/** DELETE /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { deletedWebhook, readRegistry, readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.deleteWebhook, {
  ahead: ({ claim, params }) => Promise.all([readRegistry(claim), readWebhook(claim, params.id ?? '')]),
  handle: ({ ahead: [registry, webhook], now }) => deletedWebhook(registry, webhook, now),
});
