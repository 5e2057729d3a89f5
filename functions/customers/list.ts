/** GET /api/customers */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listCustomerPage, readCustomerIndex } from '../../shared/domain/customers/customer-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listCustomers, {
  load: ({ owner, query }) => readCustomerIndex(owner, query.email),
  handle: ({ principal, loaded, query: { email, offset, limit } }) =>
    askToFold(principal.owner, loaded, listCustomerPage(principal, loaded, { email, offset, limit })),
});
