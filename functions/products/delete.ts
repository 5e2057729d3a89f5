/** DELETE /api/products/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { deleteProductCommand, readProduct } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.deleteProduct, {
  load: ({ owner, params }) => readProduct(owner, params.id ?? ''),
  handle: ({ loaded: product, now }) => deleteProductCommand(product, now),
});
