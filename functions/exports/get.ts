/** GET /api/exports/:id: shows an export, with links to its files if it is completed. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import {
  readExport,
  requireExport,
  requireKind,
  showWithLinks,
} from '../../shared/domain/exports/export-store.ts';

export const handler = endpoint(routes.getExport, {
  load: ({ owner, params }) => readExport(owner, params.id ?? ''),
  handle: ({ principal, loaded, now }) => {
    const record = requireExport(loaded);
    requireKind(principal, record.kind);
    return showWithLinks(record, now);
  },
});
