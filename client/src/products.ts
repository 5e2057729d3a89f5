/** Defines the methods of `remit.products`. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type {
  Product,
  ProductCreateParams,
  ProductDeletion,
  ProductListParams,
  ProductPage,
  ProductUpdateParams,
} from './schemas.ts';

export type Products = ReturnType<typeof createProductMethods>;

/** Creates the methods of `remit.products`. They call the API with `call`. */
export function createProductMethods(call: ApiCall) {
  return {
    /** Creates a product. */
    create: (body: ProductCreateParams, options?: WriteOptions): Promise<Product> =>
      call('POST', '/api/products', options, { body }),

    /** Returns a product. */
    retrieve: (id: string, options?: RequestOptions): Promise<Product> =>
      call('GET', '/api/products/{id}', options, { id }),

    /** Lists products, newest first. */
    list: (query: ProductListParams = {}, options?: RequestOptions): List<Product, ProductPage> =>
      new List(call, '/api/products', options, { query }, readByOffset),

    /** Updates a product. Null removes an optional field. */
    update: (id: string, body: ProductUpdateParams, options?: WriteOptions): Promise<Product> =>
      call('PATCH', '/api/products/{id}', options, { id, body }),

    /** Deletes a product. Invoices keep what they took from it. */
    delete: (id: string, options?: WriteOptions): Promise<ProductDeletion> =>
      call('DELETE', '/api/products/{id}', options, { id }),
  };
}
