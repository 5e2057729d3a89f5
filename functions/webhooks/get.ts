/** GET /api/webhooks/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showWebhook } from '../../shared/domain/webhooks/webhook.ts';
import { readWebhook, requireWebhook } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.getWebhook, {
  ahead: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ ahead }) => showWebhook(requireWebhook(ahead)),
});
