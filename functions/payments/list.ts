/** GET /api/payments */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listPaymentPage, readPaymentIndex } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';
import { askToFold } from '../../shared/store/index/fold-requests.ts';

export const handler = endpoint(routes.listPayments, {
  ahead: ({ owner, query }) => readPaymentIndex(owner, query),
  handle: ({ principal, ahead, query: { status, offset, limit } }) =>
    askToFold(principal.owner, ahead, listPaymentPage(principal, ahead, { status, offset, limit })),
});
