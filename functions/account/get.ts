/** GET /api/account */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readShownAccount } from '../../shared/domain/accounts/account-changes.ts';

export const handler = endpoint(routes.getAccount, {
  load: ({ owner }) => readShownAccount(owner),
  handle: ({ loaded }) => loaded,
});
