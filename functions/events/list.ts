/** GET /api/events */
import { listEventPage } from '../../shared/events/listing.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listEvents, {
  ahead: ({ owner, query, now }) => listEventPage(owner, query, now),
  handle: ({ ahead }) => ahead,
});
