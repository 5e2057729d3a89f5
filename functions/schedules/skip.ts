/** POST /api/schedules/:id/skip */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readSchedule, skipCommand } from '../../shared/domain/schedules/schedule-store.ts';

export const handler = endpoint(routes.skipSchedule, {
  load: ({ owner, params }) => readSchedule(owner, params.id ?? ''),
  handle: ({ loaded, clock }) => skipCommand(loaded, clock.account),
});
