/**
 * GET /docs: the guides of the API reference, for anyone, and GET /docs/{tag}: its operations and objects. The parameter
 * `version` shows them in a version, and GET /docs/changes says what each version adds. GET /docs/errors and
 * /docs/errors/{code}: what each error code means. GET /llms.txt and the pages with .md: the same texts for language models.
 * GET /.well-known/security.txt: how to report a vulnerability. They read no data and count against no rate limit.
 */

import { pageHeaders } from '../../shared/api/http/page-headers.ts';
import { keyOfVersion, readableByAnySite, staticResponse } from '../../shared/api/http/static-response.ts';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import type { OpenApiDocument } from '../../shared/api/openapi/document-types.ts';
import { docs, routes } from '../../shared/api/routes.ts';
import { env } from '../../shared/base/env.ts';
import { type ApiVersion, apiVersions, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { renderChanges } from '../../shared/web/docs/changes-page.ts';
import { referencePages } from '../../shared/web/docs/docs-page.ts';
import { errorPages, renderUnknownPage } from '../../shared/web/docs/error-pages.ts';
import { docsCsp } from '../../shared/web/docs/layout.ts';
import { markdownPages, textTypeOf } from '../../shared/web/docs/markdown-pages.ts';
import { renderSecurityText, securityTextPath } from '../../shared/web/pages/security-text.ts';

export const handler = staticResponse(
  docs,
  () => {
    const baseUrl = env.baseUrl();
    const document = openApiDocument(routes, baseUrl, newestApiVersion);
    const pagesIn = (version: ApiVersion) => {
      let made: OpenApiDocument | undefined;
      return referencePages(() => (made ??= openApiDocument(routes, baseUrl, version)), baseUrl);
    };
    const pages = new Map([
      ...referencePages(() => document, baseUrl),
      ['changes', () => renderChanges(document, baseUrl)],
      ...apiVersions.flatMap((version) =>
        [...pagesIn(version)].map(([key, render]) => [key + keyOfVersion(version), render] as const),
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
