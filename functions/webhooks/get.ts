/** GET /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { foundWebhook, readWebhook } from '../../shared/webhooks/store.ts';
import { showWebhook } from '../../shared/webhooks/webhook.ts';

export const handler = endpoint(routes.getWebhook, {
  ahead: ({ claim, params }) => readWebhook(claim, params.id ?? ''),
  handle: ({ ahead }) => showWebhook(foundWebhook(ahead)),
});
