/** PATCH /api/account */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { updateAccountChange } from '../../shared/domain/accounts/account-changes.ts';

export const handler = endpoint(routes.updateAccount, { handle: updateAccountChange });
