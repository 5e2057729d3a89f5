/** GET /api/keys/:id */
import { requireKey, showKey } from '../../shared/accounts/key.ts';
import { listAllKeys } from '../../shared/accounts/key-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getApiKey, {
  ahead: ({ owner }) => listAllKeys(owner),
  handle: ({ ahead: keys, params: { id = '' }, now }) => showKey(requireKey(keys, id), now),
});
