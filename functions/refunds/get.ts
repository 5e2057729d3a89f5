/** GET /api/refunds/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showRefund } from '../../shared/refunds/refund.ts';
import { readRefund, requireRefund } from '../../shared/refunds/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getRefund, {
  ahead: ({ owner, params }) => readRefund(owner, params.id ?? ''),
  handle: ({ ahead }) => showRefund(requireRefund(ahead)),
});
