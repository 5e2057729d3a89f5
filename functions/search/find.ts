/** GET /api/search */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { isPermitted } from '../../shared/domain/auth/permissions.ts';
import { searchTypes } from '../../shared/domain/search/search.ts';
import { lookUp, readResults } from '../../shared/domain/search/search-store.ts';

export const handler = endpoint(routes.searchRecords, {
  load: ({ owner, query }) => lookUp(owner, query.q),
  handle: ({ principal, loaded }) => {
    const bits = principal.rights?.permissionBits;
    const types = searchTypes.filter((type) => isPermitted(bits, `${type}s:read`));
    return readResults(principal, loaded, types);
  },
});
