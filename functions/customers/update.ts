/** PATCH /api/customers/:id */
import { readCustomer, updateCustomerCommand } from '../../shared/customers/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.updateCustomer, {
  ahead: ({ owner, params }) => readCustomer(owner, params.id ?? ''),
  handle: ({ ahead: customer, body, now }) => updateCustomerCommand(customer, body, now),
});
