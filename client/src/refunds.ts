/** Defines the methods of `remit.refunds`. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readHeldStill } from './list.ts';
import type { Refund, RefundCreateParams, RefundListParams, RefundPage } from './schemas.ts';

export type Refunds = ReturnType<typeof createRefundMethods>;

/** Creates the methods of `remit.refunds`. They call the API with `call`. */
export function createRefundMethods(call: ApiCall) {
  return {
    /** Refunds a completed payment: `amount`, or everything that has not been refunded yet. The refund is `pending` at first. */
    create: (body: RefundCreateParams, options?: WriteOptions): Promise<Refund> =>
      call('POST', '/api/refunds', options, { body }),

    /** Returns a refund. */
    retrieve: (id: string, options?: RequestOptions): Promise<Refund> =>
      call('GET', '/api/refunds/{id}', options, { id }),

    /** Lists refunds, newest first. */
    list: (query: RefundListParams = {}, options?: RequestOptions): List<Refund, RefundPage> =>
      new List(call, '/api/refunds', options, { query }, readHeldStill),
  };
}
