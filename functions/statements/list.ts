/** GET /api/statements */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listStatementPage, readStatementIndex } from '../../shared/domain/statements/statement-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listStatements, {
  load: ({ owner }) => readStatementIndex(owner),
  handle: ({ principal, loaded, query: { offset, limit } }) =>
    askToFold(principal.owner, loaded, listStatementPage(principal, loaded, { offset, limit })),
});
