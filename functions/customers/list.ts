/** GET /api/customers */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { findCustomers, listCustomersOfRequest } from '../../shared/domain/customers/customer-list-store.ts';

export const handler = endpoint(routes.listCustomers, {
  load: ({ owner, query }) => findCustomers(owner, query),
  handle: ({ principal, loaded, query }) => listCustomersOfRequest(principal, loaded, query),
});
