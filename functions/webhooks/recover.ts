/** POST /api/webhooks/:id/recover */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { startRecoveryCommand } from '../../shared/domain/webhooks/redelivery.ts';
import { readWebhook } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.startRecovery, {
  load: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ loaded: webhook, body: { since }, now }) => startRecoveryCommand(webhook, since, now),
});
