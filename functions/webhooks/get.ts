/** GET /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readWebhook, requireWebhook } from '../../shared/webhooks/store.ts';
import { showWebhook } from '../../shared/webhooks/webhook.ts';

export const handler = endpoint(routes.getWebhook, {
  ahead: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ ahead }) => showWebhook(requireWebhook(ahead)),
});
