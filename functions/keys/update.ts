/** PATCH /api/keys/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { updateKeyCommand } from '../../shared/domain/accounts/key-commands.ts';

export const handler = endpoint(routes.updateApiKey, { handle: updateKeyCommand });
