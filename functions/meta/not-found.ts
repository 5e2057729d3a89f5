/** The catch-all: answers requests that match no other route with 404, or with 401 if they have no valid API key. */
import { env } from '../../shared/env.ts';
import { methodOf } from '../../shared/http/api-handler.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { unknownRoute } from '../../shared/http/unknown-route.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.notFound, {
  refuse: ({ event }) => unknownRoute(methodOf(event), event.path, env.baseUrl()),
  handle: () => undefined,
});
