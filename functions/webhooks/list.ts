/** GET /api/webhooks */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readAllWebhooks, toWebhookPage } from '../../shared/domain/webhooks/webhook-store.ts';

export const handler = endpoint(routes.listWebhooks, {
  ahead: ({ owner }) => readAllWebhooks(owner),
  handle: ({ ahead: all, query }) => toWebhookPage(all, query),
});
