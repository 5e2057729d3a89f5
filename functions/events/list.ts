/** GET /api/events */
import { listEvents } from '../../shared/events/listing.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listEvents, {
  ahead: ({ claim, query, now }) => listEvents(claim, query, now),
  handle: ({ ahead }) => ahead,
});
