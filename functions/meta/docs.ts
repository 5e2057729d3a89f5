/** GET /docs: the API reference as a page, for anyone. It reads no data and counts against no rate limit. */
import { docsCsp, renderDocs } from '../../shared/docs/docs-page.ts';
import { env } from '../../shared/env.ts';
import { pageHeaders } from '../../shared/http/page-headers.ts';
import { staticResponse } from '../../shared/http/static-response.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { docs, routes } from '../../shared/routes.ts';

export const handler = staticResponse(
  docs,
  () => renderDocs(openApiDocument(routes, env.baseUrl()), env.baseUrl()),
  pageHeaders(docsCsp),
);
