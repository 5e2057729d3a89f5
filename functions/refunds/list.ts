/** GET /api/refunds */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listRefunds, readRefundIndex } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listRefunds, {
  ahead: ({ claim, query }) => readRefundIndex(claim, query),
  handle: ({ admission, ahead, query: { status, offset, limit } }) =>
    listRefunds(admission, ahead, { status, offset, limit }),
});
