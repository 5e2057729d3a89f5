/** GET /api/exports */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listExportPage, readExportIndex } from '../../shared/domain/exports/export-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listExports, {
  load: ({ owner }) => readExportIndex(owner),
  handle: ({ principal, loaded, query: { offset, limit } }) =>
    askToFold(principal.owner, loaded, listExportPage(principal, loaded, { offset, limit })),
});
