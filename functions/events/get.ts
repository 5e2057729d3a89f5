/** GET /api/events/:id */
import { showEvent } from '../../shared/events/event.ts';
import { readEvent, requireEvent } from '../../shared/events/log-store.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getEvent, {
  ahead: ({ owner, params, now }) => readEvent(owner, params.id ?? '', now),
  handle: ({ ahead }) => showEvent(requireEvent(ahead)),
});
