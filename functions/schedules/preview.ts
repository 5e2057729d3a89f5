/** GET /api/schedules/:id/preview */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readSchedule } from '../../shared/domain/schedules/schedule-store.ts';
import { previewSchedule } from '../../shared/operations/schedules/preview.ts';

export const handler = endpoint(routes.previewSchedule, {
  load: ({ owner, params }) => readSchedule(owner, params.id ?? ''),
  handle: ({ principal, loaded, clock }) => previewSchedule(principal, loaded, clock.account),
});
