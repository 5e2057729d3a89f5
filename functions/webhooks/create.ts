/** POST /api/webhooks */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { createWebhookCommand, readRegistry } from '../../shared/domain/webhooks/webhook-store.ts';
import { webhookSealing } from '../../shared/platform/secrets/encryption.ts';

export const handler = endpoint(routes.createWebhook, {
  sealing: webhookSealing,
  ahead: ({ owner }) => readRegistry(owner),
  handle: ({ principal, ahead: registry, ...asked }) =>
    createWebhookCommand(principal.owner, registry, asked),
});
