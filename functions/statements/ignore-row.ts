/** POST /api/statements/:id/rows/:rowId/ignore: takes a row of a bank statement from those that wait for a decision. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readRowUse } from '../../shared/domain/payments/row-use-store.ts';
import { ignoreRowCommand } from '../../shared/domain/statements/row-store.ts';
import { readStatementWithRows } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.ignoreStatementRow, {
  load: ({ owner, params }) =>
    Promise.all([readStatementWithRows(owner, params.id ?? ''), readRowUse(owner, params.rowId ?? '')]),
  handle: ({ principal, loaded: [found, use] }) => ignoreRowCommand(principal.owner, found, use),
});
