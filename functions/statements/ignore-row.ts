/** POST /api/statements/:id/rows/:rowId/ignore: takes a row of a bank statement from those that wait for a decision. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { ignoreRowCommand, readIgnore } from '../../shared/domain/statements/ignore-row.ts';

export const handler = endpoint(routes.ignoreStatementRow, {
  load: ({ owner, params }) => readIgnore(owner, params),
  handle: ({ principal, loaded, clock }) => ignoreRowCommand(principal.owner, loaded, clock),
});
