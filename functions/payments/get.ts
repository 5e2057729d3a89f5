/** GET /api/payments/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showPayment } from '../../shared/payments/payment.ts';
import { foundPayment, readPayment } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getPayment, {
  ahead: ({ claim, params }) => readPayment(claim, params.id ?? ''),
  handle: ({ ahead }) => showPayment(foundPayment(ahead)),
});
