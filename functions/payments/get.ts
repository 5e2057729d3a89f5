/** GET /api/payments/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showPayment } from '../../shared/payments/payment.ts';
import { readPayment, requirePayment } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getPayment, {
  ahead: ({ owner, params }) => readPayment(owner, params.id ?? ''),
  handle: ({ ahead }) => showPayment(requirePayment(ahead)),
});
