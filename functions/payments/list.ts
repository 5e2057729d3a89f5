/** GET /api/payments */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { findPayments, listPayments } from '../../shared/domain/payments/found-payments.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';
import { isView } from '../../shared/store/search/found-records.ts';

export const handler = endpoint(routes.listPayments, {
  load: ({ owner, query }) => findPayments(owner, query),
  handle: ({ principal, loaded, query }) => {
    const page = listPayments(principal, loaded, query);
    return isView(loaded) ? askToFold(principal.owner, loaded, page) : page;
  },
});
