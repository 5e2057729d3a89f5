/** DELETE /api/customers/:id */
import { deleteCustomerCommand, readCustomer } from '../../shared/customers/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.deleteCustomer, {
  ahead: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ ahead: customer, now }) => deleteCustomerCommand(customer, now),
});
