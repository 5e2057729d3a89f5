/** GET /api/drafts */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listDraftPage, readDraftIndex } from '../../shared/domain/drafts/draft-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listDrafts, {
  load: ({ owner }) => readDraftIndex(owner),
  handle: ({ principal, loaded, query, clock }) =>
    askToFold(principal.owner, loaded, listDraftPage(principal, loaded, query, clock.account)),
});
