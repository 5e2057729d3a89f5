/** PATCH /api/products/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readProduct, updateProductCommand } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.updateProduct, {
  load: ({ owner, params }) => readProduct(owner, params.id ?? ''),
  handle: ({ loaded: product, body, now }) => updateProductCommand(product, body, now),
});
