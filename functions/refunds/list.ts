/** GET /api/refunds */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listRefundPage, readRefundIndex } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listRefunds, {
  ahead: ({ owner, query }) => readRefundIndex(owner, query),
  handle: ({ principal, ahead, query: { status, offset, limit } }) =>
    listRefundPage(principal, ahead, { status, offset, limit }),
});
