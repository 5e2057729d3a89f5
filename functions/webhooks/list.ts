/** GET /api/webhooks */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readAllWebhooks, toWebhookPage } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.listWebhooks, {
  load: ({ owner }) => readAllWebhooks(owner),
  handle: ({ loaded: all, query }) => toWebhookPage(all, query),
});
