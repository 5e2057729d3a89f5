/** POST /api/customers */
import { createCustomerCommand } from '../../shared/customers/store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createCustomer, {
  handle: ({ principal, body, now }) => createCustomerCommand(principal, body, now),
});
