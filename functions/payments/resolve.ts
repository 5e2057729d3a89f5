/** POST /api/payments/:id/resolve: accepts or refunds a payment of another amount than that of its invoice. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import {
  readPaymentWithInvoice,
  resolvePaymentCommand,
} from '../../shared/domain/payments/checkouts/resolve-payment.ts';

export const handler = endpoint(routes.resolvePayment, {
  load: ({ owner, params }) => readPaymentWithInvoice(owner, params.id ?? ''),
  handle: ({ loaded, body, clock }) => resolvePaymentCommand(loaded, body.action, clock.account),
});
