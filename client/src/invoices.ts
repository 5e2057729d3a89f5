/** `remit.invoices`. */
import type { Call, RequestOptions, WriteOptions } from './call.ts';
import { byOffset, List } from './list.ts';
import type {
  Invoice,
  InvoiceCancellation,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoicePage,
  InvoiceUpdateParams,
} from './schemas.ts';

export type Invoices = ReturnType<typeof invoicesOf>;

/** Its methods, which call the API by `call`. */
export function invoicesOf(call: Call) {
  return {
    /** Creates an invoice. Amounts are in the smallest unit of the currency. */
    create: (body: InvoiceCreateParams, options?: WriteOptions): Promise<Invoice> =>
      call('POST', '/api/invoices', options, { body }),

    retrieve: (id: string, options?: RequestOptions): Promise<Invoice> =>
      call('GET', '/api/invoices/{id}', options, { id }),

    /** Newest first. */
    list: (query: InvoiceListParams = {}, options?: RequestOptions): List<Invoice, InvoicePage> =>
      new List(call, '/api/invoices', options, { query }, byOffset),

    /** Changes a pending invoice. */
    update: (id: string, body: InvoiceUpdateParams, options?: WriteOptions): Promise<Invoice> =>
      call('PATCH', '/api/invoices/{id}', options, { id, body }),

    /** Cancels a pending or overdue invoice, for good. */
    cancel: (id: string, options?: WriteOptions): Promise<InvoiceCancellation> =>
      call('DELETE', '/api/invoices/{id}', options, { id }),
  };
}
