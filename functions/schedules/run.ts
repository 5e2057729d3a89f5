/** POST /api/schedules/:id/run */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readSchedule, runCommand } from '../../shared/domain/schedules/schedule-store.ts';

export const handler = endpoint(routes.runSchedule, {
  load: ({ owner, params }) => readSchedule(owner, params.id ?? ''),
  handle: ({ loaded, clock }) => runCommand(loaded, clock.account),
});
