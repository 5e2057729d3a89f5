/** GET /api/refunds */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listRefundPage, readRefundIndex } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';
import { askToFold } from '../../shared/store/index/fold-requests.ts';

export const handler = endpoint(routes.listRefunds, {
  ahead: ({ owner, query }) => readRefundIndex(owner, query),
  handle: ({ principal, ahead, query: { status, offset, limit } }) =>
    askToFold(principal.owner, ahead, listRefundPage(principal, ahead, { status, offset, limit })),
});
