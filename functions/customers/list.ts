/** GET /api/customers */
import { listCustomerPage, readCustomerIndex } from '../../shared/customers/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { askToFold } from '../../shared/store/index/fold-requests.ts';

export const handler = endpoint(routes.listCustomers, {
  ahead: ({ owner, query }) => readCustomerIndex(owner, query.email),
  handle: ({ principal, ahead, query: { email, offset, limit } }) =>
    askToFold(principal.owner, ahead, listCustomerPage(principal, ahead, { email, offset, limit })),
});
