/** POST /api/keys */
import { createKeyCommand } from '../../shared/accounts/key-commands.ts';
import { permitReplayOfKey } from '../../shared/accounts/passed-rights.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { webhookSealing } from '../../shared/secrets/encryption.ts';

export const handler = endpoint(routes.createApiKey, {
  sealing: webhookSealing,
  permitReplay: permitReplayOfKey,
  handle: createKeyCommand,
});
