/** GET /api/journal */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listJournalPage } from '../../shared/domain/journal/journal-store.ts';

export const handler = endpoint(routes.listJournal, {
  load: ({ owner, query }) => listJournalPage(owner, query),
  handle: ({ loaded }) => loaded,
});
