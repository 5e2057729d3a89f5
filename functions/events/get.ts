/** GET /api/events/:id */
import { showEvent } from '../../shared/events/event.ts';
import { foundEvent, readEvent } from '../../shared/events/log-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getEvent, {
  ahead: ({ claim, params, now }) => readEvent(claim, params.id ?? '', now),
  handle: ({ ahead }) => showEvent(foundEvent(ahead)),
});
