/** PATCH /api/customers/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readCustomer, updateCustomerCommand } from '../../shared/domain/customers/customer-store.ts';

export const handler = endpoint(routes.updateCustomer, {
  load: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ loaded: customer, body, now }) => updateCustomerCommand(customer, body, now),
});
