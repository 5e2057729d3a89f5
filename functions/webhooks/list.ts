/** GET /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readAllWebhooks, toWebhookPage } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.listWebhooks, {
  ahead: ({ owner }) => readAllWebhooks(owner),
  handle: ({ ahead: all, query }) => toWebhookPage(all, query),
});
