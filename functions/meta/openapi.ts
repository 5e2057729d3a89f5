/** GET /openapi.json: the OpenAPI document, for anyone. It reads no data and counts against no rate limit. */

import { keyOfVersion, readableByAnySite, staticResponse } from '../../shared/api/http/static-response.ts';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { servedDocument } from '../../shared/api/openapi/served-document.ts';
import { openApi, routes } from '../../shared/api/routes.ts';
import { env } from '../../shared/base/env.ts';
import { ApiError, errorBody } from '../../shared/base/errors.ts';
import { type ApiVersion, apiVersions, newestApiVersion } from '../../shared/domain/versions/versions.ts';

const render = (version: ApiVersion) =>
  JSON.stringify(servedDocument(openApiDocument(routes, env.baseUrl(), version)));

const unknownVersion = () => {
  const message = `version must be one of ${apiVersions.join(', ')}. Leave it out for the newest version.`;
  return JSON.stringify(
    errorBody(new ApiError('invalid_api_version', { field: 'version', message }), env.baseUrl()),
  );
};

export const handler = staticResponse(
  openApi,
  () => ({
    pages: new Map([
      ['', () => render(newestApiVersion)],
      ...apiVersions.map((version) => [keyOfVersion(version), () => render(version)] as const),
    ]),
    notFound: unknownVersion,
    notFoundStatus: 400,
  }),
  { 'Content-Type': 'application/json; charset=utf-8', ...readableByAnySite },
);
