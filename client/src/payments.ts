/** Defines the methods of `remit.payments`. */
import type { ApiCall, ChangeOptions, RequestOptions } from './call.ts';
import { List, readHeldStill } from './list.ts';
import type {
  Payment,
  PaymentCreateParams,
  PaymentListParams,
  PaymentPage,
  PaymentResolveParams,
  PaymentVoidParams,
} from './schemas.ts';

export type Payments = ReturnType<typeof createPaymentMethods>;

/** Creates the methods of `remit.payments`. They call the API with `call`. */
export function createPaymentMethods(call: ApiCall) {
  return {
    /**
     * Records an offline payment (`method: 'offline'`) or, in test mode, pays with a test card. A declined card is not an
     * error: check the `status` of the payment.
     */
    create: (body: PaymentCreateParams, options?: ChangeOptions): Promise<Payment> =>
      call('POST', '/api/payments', options, { body }),

    /** Returns a payment. */
    retrieve: (id: string, options?: RequestOptions): Promise<Payment> =>
      call('GET', '/api/payments/{id}', options, { id }),

    /** Accepts or refunds a pending payment whose `pendingReason` is `amount_differs`. */
    resolve: (id: string, body: PaymentResolveParams, options?: ChangeOptions): Promise<Payment> =>
      call('POST', '/api/payments/{id}/resolve', options, { id, body }),

    /** Voids an offline payment whose money never arrived. If it has paid its invoice, another one replaces that invoice. */
    void: (id: string, body: PaymentVoidParams, options?: ChangeOptions): Promise<Payment> =>
      call('POST', '/api/payments/{id}/void', options, { id, body }),

    /** Lists payments, newest first. */
    list: (query: PaymentListParams = {}, options?: RequestOptions): List<Payment, PaymentPage> =>
      new List(call, '/api/payments', options, { query }, readHeldStill),
  };
}
