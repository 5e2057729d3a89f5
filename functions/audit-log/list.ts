/** GET /api/audit-log */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listAuditPage } from '../../shared/domain/audit/listing.ts';

export const handler = endpoint(routes.listAuditLog, {
  load: ({ owner, query, now }) => listAuditPage(owner, query, now),
  handle: ({ loaded }) => loaded,
});
