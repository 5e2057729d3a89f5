/** GET /api/schedules/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showSchedule } from '../../shared/domain/schedules/schedule.ts';
import { readSchedule, requireSchedule } from '../../shared/domain/schedules/schedule-store.ts';

export const handler = endpoint(routes.getSchedule, {
  load: ({ owner, params }) => readSchedule(owner, params.id ?? ''),
  handle: ({ loaded }) => showSchedule(requireSchedule(loaded), loaded.template),
});
