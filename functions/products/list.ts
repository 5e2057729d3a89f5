/** GET /api/products */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listProductPage, readProductIndex } from '../../shared/domain/products/product-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listProducts, {
  load: ({ owner }) => readProductIndex(owner),
  handle: ({ principal, loaded, query: { offset, limit } }) =>
    askToFold(principal.owner, loaded, listProductPage(principal, loaded, { offset, limit })),
});
