/** GET /api/refunds/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showRefund } from '../../shared/refunds/refund.ts';
import { foundRefund, readRefund } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getRefund, {
  ahead: ({ claim, params }) => readRefund(claim, params.id ?? ''),
  handle: ({ ahead }) => showRefund(foundRefund(ahead)),
});
