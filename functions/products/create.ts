/** POST /api/products */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { createProductCommand } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.createProduct, {
  handle: ({ principal, body, now }) => createProductCommand(principal, body, now),
});
