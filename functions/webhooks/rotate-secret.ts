/** POST /api/webhooks/:id/rotate-secret */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readWebhook, rotateSecretCommand } from '../../shared/domain/webhooks/webhook-store.ts';
import { webhookSealing } from '../../shared/platform/secrets/encryption.ts';

const hourMs = 3_600_000;

export const handler = endpoint(routes.rotateWebhookSecret, {
  sealing: webhookSealing,
  load: ({ owner, params }) => readWebhook(owner, params.id ?? ''),
  handle: ({ loaded: webhook, body, now }) => rotateSecretCommand(webhook, body.overlapHours * hourMs, now),
});
