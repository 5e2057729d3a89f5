/** DELETE /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { deleteWebhookCommand, readRegistry, readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.deleteWebhook, {
  ahead: ({ owner, params }) => Promise.all([readRegistry(owner), readWebhook(owner, params.id ?? '')]),
  handle: ({ ahead: [registry, webhook], now }) => deleteWebhookCommand(registry, webhook, now),
});
