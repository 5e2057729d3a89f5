/** POST /api/webhooks */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { createWebhookCommand, readRegistry } from '../../shared/domain/webhooks/webhook-store.ts';
import { webhookSealing } from '../../shared/platform/secrets/encryption.ts';

export const handler = endpoint(routes.createWebhook, {
  sealing: webhookSealing,
  load: ({ owner }) => readRegistry(owner),
  handle: ({ principal, loaded: registry, ...asked }) =>
    createWebhookCommand(principal.owner, registry, asked),
});
