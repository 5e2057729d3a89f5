/** GET /api/payments */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listPayments, readPaymentIndex } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listPayments, {
  ahead: ({ claim, query }) => readPaymentIndex(claim, query),
  handle: ({ admission, ahead, query: { status, offset, limit } }) =>
    listPayments(admission, ahead, { status, offset, limit }),
});
