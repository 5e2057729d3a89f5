/** POST /api/keys */
import { createKeyCommand } from '../../shared/accounts/key-commands.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createApiKey, { handle: createKeyCommand });
