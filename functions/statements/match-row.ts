/** POST /api/statements/:id/rows/:rowId/match: lets a row of a bank statement pay an invoice, or says which payment or refund it is. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { matchRowCommand, readMatch } from '../../shared/domain/statements/match-row.ts';

export const handler = endpoint(routes.matchStatementRow, {
  load: ({ owner, params, body }) => readMatch(owner, params, body),
  handle: ({ principal, loaded, body, query, clock, now }) =>
    matchRowCommand(principal, loaded, body, clock, { now, force: query.force !== undefined }),
});
