/** GET /api/products/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showProduct } from '../../shared/domain/products/product.ts';
import { readProduct, requireProduct } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.getProduct, {
  load: ({ owner, params }) => readProduct(owner, params.id ?? ''),
  handle: ({ loaded }) => showProduct(requireProduct(loaded)),
});
