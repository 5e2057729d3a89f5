/** POST /api/refunds */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readPayment } from '../../shared/domain/payments/payment-store.ts';
import { createRefundCommand } from '../../shared/domain/refunds/refund-store.ts';

export const handler = endpoint(routes.createRefund, {
  load: ({ owner, body }) => readPayment(owner, body.paymentId),
  handle: ({ principal, loaded: payment, body, clock, webhookFault }) =>
    createRefundCommand(principal, payment, body, clock.account, webhookFault),
});
