/** GET /api/payments/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showPayment } from '../../shared/domain/payments/payment.ts';
import { readPayment, requirePayment } from '../../shared/domain/payments/payment-store.ts';

export const handler = endpoint(routes.getPayment, {
  load: ({ owner, params }) => readPayment(owner, params.id ?? ''),
  handle: ({ loaded }) => showPayment(requirePayment(loaded)),
});
