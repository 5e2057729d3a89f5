/** POST /api/keys */
import { createKeyCommand } from '../../shared/accounts/key-commands.ts';
import { permitReplayOfKey } from '../../shared/accounts/passed-rights.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { keySealing } from '../../shared/secrets/key-secret.ts';

export const handler = endpoint(routes.createApiKey, {
  sealing: keySealing,
  permitReplay: permitReplayOfKey,
  handle: createKeyCommand,
});
