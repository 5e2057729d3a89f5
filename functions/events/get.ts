/** GET /api/events/:id */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showEvent } from '../../shared/domain/events/event.ts';
import { readEvent, requireEvent } from '../../shared/domain/events/log-store.ts';

export const handler = endpoint(routes.getEvent, {
  load: ({ owner, params, now }) => readEvent(owner, params.id ?? '', now),
  handle: ({ loaded }) => showEvent(requireEvent(loaded)),
});
