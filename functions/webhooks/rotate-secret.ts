/** POST /api/webhooks/:id/rotate-secret */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { webhookSealing } from '../../shared/secrets/encryption.ts';
import { readWebhook, rotateSecretCommand } from '../../shared/webhooks/store.ts';

const hourMs = 3_600_000;

export const handler = endpoint(routes.rotateWebhookSecret, {
  sealing: webhookSealing,
  ahead: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ ahead: webhook, body, now }) => rotateSecretCommand(webhook, body.overlapHours * hourMs, now),
});
