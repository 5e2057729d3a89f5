/** GET /api/keys */
import { toKeyPage } from '../../shared/accounts/key-page.ts';
import { listAllKeys } from '../../shared/accounts/key-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listApiKeys, {
  ahead: ({ owner }) => listAllKeys(owner),
  handle: ({ ahead: keys, query, now }) => toKeyPage(keys, query, now),
});
