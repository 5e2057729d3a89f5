/** GET /api/search */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { isPermitted, type Permission } from '../../shared/domain/auth/permissions.ts';
import { lookUpAll, readAllResults } from '../../shared/domain/search/search-all-store.ts';

export const handler = endpoint(routes.searchRecords, {
  load: ({ owner, query }) => lookUpAll(owner, query.q),
  handle: ({ principal, loaded, now }) => {
    const { owner, idKeys, rights } = principal;
    const mayRead = (permission: Permission) => isPermitted(rights?.permissionBits, permission);
    return readAllResults({ owner, idKeys, now, mayRead }, loaded);
  },
});
