/** POST /api/refunds */
import { endpoint } from '../../shared/http/endpoint.ts';
import { readPayment } from '../../shared/payments/store.ts';
import { createRefundCommand } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createRefund, {
  ahead: ({ owner, body }) => readPayment(owner, body.paymentId),
  handle: ({ principal, ahead: payment, body, accountNow, webhookFault }) =>
    createRefundCommand(principal, payment, body, accountNow, webhookFault),
});
