/** POST /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { webhookSealing } from '../../shared/secrets/encryption.ts';
import { createWebhookCommand, readRegistry } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.createWebhook, {
  sealing: webhookSealing,
  ahead: ({ owner }) => readRegistry(owner),
  handle: ({ principal, ahead: registry, ...asked }) =>
    createWebhookCommand(principal.owner, registry, asked),
});
