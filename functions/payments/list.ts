/** GET /api/payments */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listPaymentPage, readPaymentIndex } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listPayments, {
  ahead: ({ owner, query }) => readPaymentIndex(owner, query),
  handle: ({ principal, ahead, query: { status, offset, limit } }) =>
    listPaymentPage(principal, ahead, { status, offset, limit }),
});
