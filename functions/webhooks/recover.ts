/** POST /api/webhooks/:id/recover */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { startRecovery } from '../../shared/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.startRecovery, {
  ahead: ({ claim, params }) => readWebhook(claim, params.id ?? ''),
  handle: ({ ahead: webhook, body: { since }, now }) => startRecovery(webhook, since, now),
});
