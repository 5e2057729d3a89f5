/** GET /api/customers/:id */
import { showCustomer } from '../../shared/customers/customer.ts';
import { readCustomer, requireCustomer } from '../../shared/customers/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getCustomer, {
  ahead: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ ahead }) => showCustomer(requireCustomer(ahead)),
});
