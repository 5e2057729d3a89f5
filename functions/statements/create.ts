/** POST /api/statements: stores a bank statement. A worker then lets its rows pay. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showStatement } from '../../shared/domain/statements/statement.ts';
import { createStatementCommand, findSameStatement } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.createStatement, {
  load: ({ owner, body }) => findSameStatement(owner, body),
  handle: ({ principal, body, loaded: { hash, existing }, clock }) =>
    existing ? showStatement(existing) : createStatementCommand(principal, body, hash, clock.account),
});
