/** GET /api/webhooks */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { pageOfWebhooks, readWebhooks } from '../../shared/webhooks/store.ts';

export const handler = endpoint(routes.listWebhooks, {
  ahead: ({ claim }) => readWebhooks(claim),
  handle: ({ ahead: all, query }) => pageOfWebhooks(all, query),
});
