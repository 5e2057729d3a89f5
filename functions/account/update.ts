/** PATCH /api/account */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { updateAccountCommand } from '../../shared/domain/accounts/account-commands.ts';

export const handler = endpoint(routes.updateAccount, { handle: updateAccountCommand });
