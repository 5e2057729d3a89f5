/** POST /api/webhooks/:id/recover */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { startRecoveryCommand } from '../../shared/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.startRecovery, {
  ahead: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ ahead: webhook, body: { since }, now }) => startRecoveryCommand(webhook, since, now),
});
