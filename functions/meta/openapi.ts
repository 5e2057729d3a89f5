/** GET /openapi.json: the OpenAPI document, for anyone. It reads no data and counts against no rate limit. */
import { env } from '../../shared/env.ts';
import { staticResponse } from '../../shared/http/static-response.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { openApi, routes } from '../../shared/routes.ts';

export const handler = staticResponse(
  openApi,
  () => ({ pages: new Map([['', () => JSON.stringify(openApiDocument(routes, env.baseUrl()))]]) }),
  { 'Content-Type': 'application/json; charset=utf-8' },
);
