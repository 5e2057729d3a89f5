/** GET /api/summary */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readSummary } from '../../shared/domain/journal/summary-store.ts';

export const handler = endpoint(routes.getSummary, {
  handle: ({ principal, query, clock }) => readSummary(principal.owner, query, clock.account),
});
