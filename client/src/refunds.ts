/** `remit.refunds`. */
import type { Call, RequestOptions, WriteOptions } from './call.ts';
import { byOffset, List } from './list.ts';
import type { Refund, RefundCreateParams, RefundListParams, RefundPage } from './schemas.ts';

export type Refunds = ReturnType<typeof refundsOf>;

/** Its methods, which call the API by `call`. */
export function refundsOf(call: Call) {
  return {
    /** Refunds a completed payment: all that is left of it, or `amount`. It is `pending` at first. */
    create: (body: RefundCreateParams, options?: WriteOptions): Promise<Refund> =>
      call('POST', '/api/refunds', options, { body }),

    retrieve: (id: string, options?: RequestOptions): Promise<Refund> =>
      call('GET', '/api/refunds/{id}', options, { id }),

    /** Newest first. */
    list: (query: RefundListParams = {}, options?: RequestOptions): List<Refund, RefundPage> =>
      new List(call, '/api/refunds', options, { query }, byOffset),
  };
}
