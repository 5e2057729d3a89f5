/** POST /api/keys/:id/roll-over */
import { rollOverKeyCommand } from '../../shared/accounts/key-commands.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.rollOverApiKey, { handle: rollOverKeyCommand });
