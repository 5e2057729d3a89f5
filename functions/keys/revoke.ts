/** DELETE /api/keys/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { revokeKeyChange } from '../../shared/domain/accounts/key-changes.ts';

export const handler = endpoint(routes.revokeApiKey, { handle: revokeKeyChange });
