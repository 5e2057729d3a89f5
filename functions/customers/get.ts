/** GET /api/customers/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showCustomer } from '../../shared/domain/customers/customer.ts';
import { readCustomer, requireCustomer } from '../../shared/domain/customers/customer-store.ts';

export const handler = endpoint(routes.getCustomer, {
  load: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ loaded }) => showCustomer(requireCustomer(loaded)),
});
