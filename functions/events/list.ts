/** GET /api/events */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listEventPage } from '../../shared/domain/events/listing.ts';

export const handler = endpoint(routes.listEvents, {
  load: ({ owner, query, now }) => listEventPage(owner, query, now),
  handle: ({ loaded }) => loaded,
});
