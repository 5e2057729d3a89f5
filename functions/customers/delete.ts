/** DELETE /api/customers/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { deleteCustomerCommand, readCustomer } from '../../shared/domain/customers/customer-store.ts';

export const handler = endpoint(routes.deleteCustomer, {
  load: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ loaded: customer, now }) => deleteCustomerCommand(customer, now),
});
