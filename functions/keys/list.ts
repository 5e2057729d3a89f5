/** GET /api/keys */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { toKeyPage } from '../../shared/domain/accounts/key-page.ts';
import { listAllKeys } from '../../shared/domain/accounts/key-store.ts';

export const handler = endpoint(routes.listApiKeys, {
  load: ({ owner }) => listAllKeys(owner),
  handle: ({ loaded: keys, query, now }) => toKeyPage(keys, query, now),
});
