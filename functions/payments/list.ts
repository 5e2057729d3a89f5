/** GET /api/payments */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listPaymentPage, readPaymentIndex } from '../../shared/domain/payments/payment-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listPayments, {
  load: ({ owner, query }) => readPaymentIndex(owner, query),
  handle: ({ principal, loaded, query: { status, offset, limit } }) =>
    askToFold(principal.owner, loaded, listPaymentPage(principal, loaded, { status, offset, limit })),
});
