/** GET /api/audit-log */
import { listAuditPage } from '../../shared/audit/listing.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listAuditLog, {
  ahead: ({ owner, query, now }) => listAuditPage(owner, query, now),
  handle: ({ ahead }) => ahead,
});
