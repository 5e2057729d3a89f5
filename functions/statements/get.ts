/** GET /api/statements/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showStatement } from '../../shared/domain/statements/statement.ts';
import { readStatement, requireStatement } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.getStatement, {
  load: ({ owner, params }) => readStatement(owner, params.id ?? ''),
  handle: ({ loaded }) => showStatement(requireStatement(loaded)),
});
