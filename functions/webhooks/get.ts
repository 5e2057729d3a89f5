/** GET /api/webhooks/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showWebhook } from '../../shared/domain/webhooks/webhook.ts';
import { readWebhook, requireWebhook } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.getWebhook, {
  load: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ loaded }) => showWebhook(requireWebhook(loaded)),
});
