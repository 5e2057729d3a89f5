/**
 * GET /docs: the API reference as a page, for anyone. GET /docs?version= shows it in a version, and GET /docs/changes says what
 * each version adds. GET /docs/errors and /docs/errors/{code}: what each error code means. GET /llms.txt and the pages with .md:
 * the same texts for language models. GET /.well-known/security.txt: how to report a vulnerability. They read no data and count against no rate limit.
 */

import { pageHeaders } from '../../shared/api/http/page-headers.ts';
import { keyOfVersion, readableByAnySite, staticResponse } from '../../shared/api/http/static-response.ts';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { docs, routes } from '../../shared/api/routes.ts';
import { env } from '../../shared/base/env.ts';
import { type ApiVersion, apiVersions, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { renderChanges } from '../../shared/web/docs/changes-page.ts';
import { renderDocs } from '../../shared/web/docs/docs-page.ts';
import { errorPages, renderUnknownPage } from '../../shared/web/docs/error-pages.ts';
import { docsCsp } from '../../shared/web/docs/layout.ts';
import { markdownPages, textTypeOf } from '../../shared/web/docs/markdown-pages.ts';
import { renderSecurityText, securityTextPath } from '../../shared/web/pages/security-text.ts';

export const handler = staticResponse(
  docs,
  () => {
    const baseUrl = env.baseUrl();
    const document = openApiDocument(routes, baseUrl, newestApiVersion);
    const documentIn = (version: ApiVersion) => openApiDocument(routes, baseUrl, version);
    const pages = new Map([
      ['', () => renderDocs(document, baseUrl)],
      ['changes', () => renderChanges(document, baseUrl)],
      ...apiVersions.map(
        (version) => [keyOfVersion(version), () => renderDocs(documentIn(version), baseUrl)] as const,
      ),
      ...errorPages(document, baseUrl),
      ...markdownPages(document, baseUrl),
    ]);
    const contact = env.securityContact();
    if (contact) pages.set(securityTextPath, () => renderSecurityText(baseUrl, contact));
    return {
      pages,
      notFound: () => renderUnknownPage(baseUrl),
    };
  },
  { ...pageHeaders(docsCsp), ...readableByAnySite },
  (key) => (key === securityTextPath ? 'text/plain; charset=utf-8' : textTypeOf(key)),
);
