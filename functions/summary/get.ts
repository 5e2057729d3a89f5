/** GET /api/summary */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { withExactText } from '../../shared/base/exact-sum.ts';
import { readSummary } from '../../shared/domain/journal/summary-store.ts';

export const handler = endpoint(routes.getSummary, {
  handle: async ({ principal, query, clock }) =>
    withExactText(await readSummary(principal.owner, query, clock.account)),
});
