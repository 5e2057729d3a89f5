/** POST /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { createWebhookCommand, readRegistry } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.createWebhook, {
  ahead: ({ owner }) => readRegistry(owner),
  handle: ({ principal, ahead: registry, ...asked }) =>
    createWebhookCommand(principal.owner, registry, asked),
});
