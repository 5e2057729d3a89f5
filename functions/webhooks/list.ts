/** GET /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { readWebhooks, toWebhookPage } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.listWebhooks, {
  ahead: ({ owner }) => readWebhooks(owner),
  handle: ({ ahead: all, query }) => toWebhookPage(all, query),
});
