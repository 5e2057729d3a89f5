/** GET /api/keys/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { requireKey, showKey } from '../../shared/domain/accounts/key.ts';
import { listAllKeys } from '../../shared/domain/accounts/key-store.ts';

export const handler = endpoint(routes.getApiKey, {
  load: ({ owner }) => listAllKeys(owner),
  handle: ({ loaded: keys, params: { id = '' }, now }) => showKey(requireKey(keys, id), now),
});
