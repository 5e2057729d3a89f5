/**
 * GET /docs: the API reference as a page, for anyone. GET /docs/errors and /docs/errors/{code}: what each error code means.
 * They read no data and count against no rate limit.
 */
import { renderDocs } from '../../shared/docs/docs-page.ts';
import { errorPages, renderUnknownPage } from '../../shared/docs/error-pages.ts';
import { docsCsp } from '../../shared/docs/layout.ts';
import { env } from '../../shared/env.ts';
import { pageHeaders } from '../../shared/http/page-headers.ts';
import { staticResponse } from '../../shared/http/static-response.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { docs, routes } from '../../shared/routes.ts';

export const handler = staticResponse(
  docs,
  () => {
    const baseUrl = env.baseUrl();
    const document = openApiDocument(routes, baseUrl);
    return {
      pages: errorPages(document, baseUrl).set('', () => renderDocs(document, baseUrl)),
      notFound: () => renderUnknownPage(baseUrl),
    };
  },
  pageHeaders(docsCsp),
);
