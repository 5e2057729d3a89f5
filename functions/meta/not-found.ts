/**
 * The catch-all: answers requests that match no other route with 404, or with 401 if they have no valid API key. Browsers
 * that open `/` or `/pay` get a page. It reads no data and counts against no rate limit.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type ApiContext, methodOf } from '../../shared/api/http/api-handler.ts';
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { pageHeaders } from '../../shared/api/http/page-headers.ts';
import { prefersHtml } from '../../shared/api/http/prefers-html.ts';
import { staticResponse } from '../../shared/api/http/static-response.ts';
import { unknownRoute } from '../../shared/api/http/unknown-route.ts';
import * as routes from '../../shared/api/routes.ts';
import { env } from '../../shared/base/env.ts';
import { renderStartPage, startPageCsp } from '../../shared/web/pages/start-page.ts';

const notFound = endpoint(routes.notFound, {
  refuse: ({ event }) => unknownRoute(methodOf(event), event.path, env.baseUrl()),
  handle: () => undefined,
});

const startPage = staticResponse(
  routes.notFound,
  () => ({ pages: new Map([['', () => renderStartPage(env.baseUrl())]]) }),
  // Other clients get JSON at the same address.
  { ...pageHeaders(startPageCsp), Vary: 'Accept' },
);

export const handler = (event: APIGatewayProxyEvent, context: ApiContext) =>
  (isStartPage(event) ? startPage : notFound)(event, context);

function isStartPage(event: APIGatewayProxyEvent): boolean {
  return methodOf(event) === 'GET' && /^\/(pay\/?)?$/.test(event.path) && prefersHtml(event);
}
