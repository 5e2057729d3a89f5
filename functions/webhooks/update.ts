/** PATCH /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readWebhook, updateWebhookCommand } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.updateWebhook, {
  ahead: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ ahead: webhook, ...asked }) => updateWebhookCommand(webhook, asked),
});
