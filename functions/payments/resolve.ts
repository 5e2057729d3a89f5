/** POST /api/payments/:id/resolve: accepts or refunds a payment of another amount than that of its invoice. */
import { endpoint } from '../../shared/http/endpoint.ts';
import {
  readPaymentWithInvoice,
  resolvePaymentCommand,
} from '../../shared/payments/checkouts/resolve-payment.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.resolvePayment, {
  ahead: ({ owner, params }) => readPaymentWithInvoice(owner, params.id ?? ''),
  handle: ({ ahead, body, accountNow }) => resolvePaymentCommand(ahead, body.action, accountNow),
});
