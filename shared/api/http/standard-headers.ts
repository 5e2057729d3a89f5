/** Sets the headers that every response of the API has. It is JSON, unless the handler says otherwise. */
import { env } from '../../base/env.ts';
import { firstApiVersion } from '../../domain/versions/versions.ts';
import type { ApiMiddleware, ApiRequest } from './request-state.ts';
import { securityHeaders } from './security-headers.ts';

/**
 * Sets content type, caching, request id, API version and release, on answers and on errors. A request
 * that is refused without a look at its API key has the version of new keys.
 */
export function standardHeaders(): ApiMiddleware {
  const set = ({ event, response, internal }: ApiRequest) => {
    if (!response) return;
    response.headers = {
      ...response.headers,
      'Content-Type': response.headers?.['Content-Type'] ?? 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': event.requestContext.requestId,
      'X-API-Version': internal.apiVersion ?? firstApiVersion,
      'X-Remit-Version': env.version(),
      ...securityHeaders,
    };
  };
  return { after: set, onError: set };
}
