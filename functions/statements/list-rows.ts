/** GET /api/statements/:id/rows */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listRows } from '../../shared/domain/statements/row-store.ts';
import { readStatementWithRows } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.listStatementRows, {
  load: ({ owner, params }) => readStatementWithRows(owner, params.id ?? ''),
  handle: ({ principal, loaded, query }) => listRows(principal.owner, loaded, query),
});
