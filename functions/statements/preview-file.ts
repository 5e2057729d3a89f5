/** GET /api/statement-files/preview: shows what is read from an uploaded file. Nothing is stored. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showPreviewOf } from '../../shared/domain/statements/files/preview.ts';
import { readFileRows } from '../../shared/domain/statements/files/stored-file.ts';

export const handler = endpoint(routes.previewStatementFile, {
  handle: async ({ principal, query, clock }) =>
    showPreviewOf(await readFileRows(principal.owner, query, clock.account)),
});
