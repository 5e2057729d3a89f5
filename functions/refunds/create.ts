/** POST /api/refunds */
import { endpoint } from '../../shared/http/endpoint.ts';
import { readPayment } from '../../shared/payments/store.ts';
import { newRefund } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createRefund, {
  ahead: ({ claim, body }) => readPayment(claim, body.paymentId),
  handle: ({ admission, ahead: payment, body, now }) => newRefund(admission, payment, body, now),
});
