/** `remit.payments`. */
import type { Call, RequestOptions, WriteOptions } from './call.ts';
import { byOffset, List } from './list.ts';
import type { Payment, PaymentCreateParams, PaymentListParams, PaymentPage } from './schemas.ts';

export type Payments = ReturnType<typeof paymentsOf>;

/** Its methods, which call the API by `call`. */
export function paymentsOf(call: Call) {
  return {
    /**
     * Records money that came another way (`method: 'offline'`) or, in test mode, pays with a test card. A declined card is
     * an outcome, not an error: look at `status`.
     */
    create: (body: PaymentCreateParams, options?: WriteOptions): Promise<Payment> =>
      call('POST', '/api/payments', options, { body }),

    retrieve: (id: string, options?: RequestOptions): Promise<Payment> =>
      call('GET', '/api/payments/{id}', options, { id }),

    /** Newest first. */
    list: (query: PaymentListParams = {}, options?: RequestOptions): List<Payment, PaymentPage> =>
      new List(call, '/api/payments', options, { query }, byOffset),
  };
}
