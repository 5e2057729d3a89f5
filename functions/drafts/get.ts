/** GET /api/drafts/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readDraft, requireDraft, showWithTotals } from '../../shared/domain/drafts/draft-store.ts';

export const handler = endpoint(routes.getDraft, {
  load: ({ owner, params }) => readDraft(owner, params.id ?? ''),
  handle: ({ principal, loaded, clock }) => showWithTotals(principal, requireDraft(loaded), clock.account),
});
