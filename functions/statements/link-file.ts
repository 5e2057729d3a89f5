/** GET /api/statement-files/link: returns a link with which a file of a bank is uploaded. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { linkFile } from '../../shared/domain/statements/files/stored-file.ts';

export const handler = endpoint(routes.linkStatementFile, {
  handle: ({ principal, query, now }) => linkFile(principal.owner, query.size, now),
});
