/** Defines the methods of `remit.auditLog`. */
import type { ApiCall, RequestOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type { AuditEntry, AuditListParams, AuditPage } from './schemas.ts';

export type AuditLog = ReturnType<typeof createAuditLogMethods>;

/** Creates the methods of `remit.auditLog`. They call the API with `call`. */
export function createAuditLogMethods(call: ApiCall) {
  return {
    /** Lists the operations that changed the account, newest first. */
    list: (query: AuditListParams = {}, options?: RequestOptions): List<AuditEntry, AuditPage> =>
      new List(call, '/api/audit-log', options, { query }, readByCursor),
  };
}
