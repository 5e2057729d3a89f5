/** POST /api/customers */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { createCustomerCommand } from '../../shared/domain/customers/customer-store.ts';

export const handler = endpoint(routes.createCustomer, {
  handle: ({ principal, body, now }) => createCustomerCommand(principal, body, now),
});
