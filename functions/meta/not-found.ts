/** The catch-all: what no other route takes is 404, with envelope and headers, for whoever has a valid key. */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.notFound, { handle: () => ({}) });
