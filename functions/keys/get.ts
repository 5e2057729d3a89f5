/** GET /api/keys/:id */
import { requireKey, showKey } from '../../shared/accounts/key.ts';
import { listKeys } from '../../shared/accounts/key-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getApiKey, {
  ahead: ({ owner }) => listKeys(owner),
  handle: ({ ahead: keys, params: { id = '' }, now }) => showKey(requireKey(keys, id), now),
});
