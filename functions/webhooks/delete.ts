/** DELETE /api/webhooks/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import {
  deleteWebhookCommand,
  readRegistry,
  readWebhook,
} from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.deleteWebhook, {
  load: ({ owner, params }) => Promise.all([readRegistry(owner), readWebhook(owner, params.id ?? '')]),
  handle: ({ loaded: [registry, webhook], now }) => deleteWebhookCommand(registry, webhook, now),
});
