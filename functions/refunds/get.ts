/** GET /api/refunds/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showRefund } from '../../shared/domain/refunds/refund.ts';
import { readRefund, requireRefund } from '../../shared/domain/refunds/refund-store.ts';

export const handler = endpoint(routes.getRefund, {
  load: ({ owner, params }) => readRefund(owner, params.id ?? ''),
  handle: ({ loaded }) => showRefund(requireRefund(loaded)),
});
