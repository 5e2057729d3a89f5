/** DELETE /api/drafts/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { deleteDraftCommand, readDraft } from '../../shared/domain/drafts/draft-store.ts';

export const handler = endpoint(routes.deleteDraft, {
  load: ({ owner, params }) => readDraft(owner, params.id ?? ''),
  handle: ({ loaded, clock }) => deleteDraftCommand(loaded, clock.account),
});
