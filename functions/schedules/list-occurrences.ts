/** GET /api/schedules/:id/occurrences */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listOccurrences } from '../../shared/domain/schedules/schedule-list-store.ts';
import { readSchedule, requireSchedule } from '../../shared/domain/schedules/schedule-store.ts';

export const handler = endpoint(routes.listScheduleOccurrences, {
  load: ({ owner, params }) => readSchedule(owner, params.id ?? ''),
  handle: ({ loaded, query }) => listOccurrences(requireSchedule(loaded), query),
});
