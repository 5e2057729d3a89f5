/** POST /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { newWebhook, readRegistry } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.createWebhook, {
  ahead: ({ claim }) => readRegistry(claim),
  handle: ({ admission, ahead: registry, ...asked }) => newWebhook(admission.owner, registry, asked),
});
