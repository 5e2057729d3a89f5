/** GET /api/keys */
import { toKeyPage } from '../../shared/accounts/key.ts';
import { listKeys } from '../../shared/accounts/key-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listApiKeys, {
  ahead: ({ owner }) => listKeys(owner),
  handle: ({ ahead: keys, query, now }) => toKeyPage(keys, query, now),
});
