/** POST /api/statements: stores a bank statement, with the rows of the request or of a file. A worker then lets its rows pay. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readNewStatement } from '../../shared/domain/statements/files/stored-file.ts';
import { showStatement } from '../../shared/domain/statements/statement.ts';
import { createStatementCommand, findSameStatement } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.createStatement, {
  handle: async ({ principal, body, clock }) => {
    const statement = await readNewStatement(principal.owner, body, clock.account);
    const { hash, existing } = await findSameStatement(principal.owner, statement);
    return existing
      ? showStatement(existing)
      : createStatementCommand(principal, statement, hash, clock.account);
  },
});
