/** PATCH /api/webhooks/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readWebhook, updateWebhookCommand } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.updateWebhook, {
  load: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ loaded: webhook, ...asked }) => updateWebhookCommand(webhook, asked),
});
