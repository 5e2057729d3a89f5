/** GET /api/schedules */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listSchedulePage, readScheduleIndex } from '../../shared/domain/schedules/schedule-list-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listSchedules, {
  load: ({ owner }) => readScheduleIndex(owner),
  handle: ({ principal, loaded, query }) =>
    askToFold(principal.owner, loaded, listSchedulePage(principal, loaded, query)),
});
