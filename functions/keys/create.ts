/** POST /api/keys */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { createKeyChange } from '../../shared/domain/accounts/key-changes.ts';
import { permitReplayOfKey } from '../../shared/domain/accounts/passed-rights.ts';
import { keySealing } from '../../shared/platform/secrets/key-secret.ts';

export const handler = endpoint(routes.createApiKey, {
  sealing: keySealing,
  permitReplay: permitReplayOfKey,
  handle: createKeyChange,
});
