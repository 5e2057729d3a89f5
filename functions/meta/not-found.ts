/** The catch-all: answers requests that match no other route with 404, or with 401 if they have no valid API key. */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.notFound, { handle: () => undefined });
