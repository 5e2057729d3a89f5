/** GET /api/refunds */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listRefundPage, readRefundIndex } from '../../shared/domain/refunds/refund-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listRefunds, {
  load: ({ owner, query }) => readRefundIndex(owner, query),
  handle: ({ principal, loaded, query: { status, offset, limit } }) =>
    askToFold(principal.owner, loaded, listRefundPage(principal, loaded, { status, offset, limit })),
});
