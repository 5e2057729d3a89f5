/** PATCH /api/webhooks/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { changedWebhook, readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.updateWebhook, {
  ahead: ({ claim, params }) => readWebhook(claim, params.id ?? ''),
  handle: ({ ahead: webhook, ...asked }) => changedWebhook(webhook, asked),
});
