/** Defines the methods of `remit.customers`. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type {
  Balance,
  BalanceParams,
  Customer,
  CustomerCreateParams,
  CustomerDeletion,
  CustomerListParams,
  CustomerPage,
  CustomerUpdateParams,
} from './schemas.ts';

export type Customers = ReturnType<typeof createCustomerMethods>;

/** Creates the methods of `remit.customers`. They call the API with `call`. */
export function createCustomerMethods(call: ApiCall) {
  return {
    /** Creates a customer. It needs a `name` or an `email`. */
    create: (body: CustomerCreateParams, options?: WriteOptions): Promise<Customer> =>
      call('POST', '/api/customers', options, { body }),

    /** Returns a customer. */
    retrieve: (id: string, options?: RequestOptions): Promise<Customer> =>
      call('GET', '/api/customers/{id}', options, { id }),

    /** Lists customers, newest first. */
    list: (query: CustomerListParams = {}, options?: RequestOptions): List<Customer, CustomerPage> =>
      new List(call, '/api/customers', options, { query }, readByOffset),

    /** Returns what a customer owes now, and its credit. `customerId` is that of invoices. */
    balance: (query: BalanceParams, options?: RequestOptions): Promise<Balance> =>
      call('GET', '/api/balance', options, { query }),

    /** Updates a customer. Null removes a field. */
    update: (id: string, body: CustomerUpdateParams, options?: WriteOptions): Promise<Customer> =>
      call('PATCH', '/api/customers/{id}', options, { id, body }),

    /** Deletes a customer with its personal data. Its invoices stay as they are. */
    delete: (id: string, options?: WriteOptions): Promise<CustomerDeletion> =>
      call('DELETE', '/api/customers/{id}', options, { id }),
  };
}
