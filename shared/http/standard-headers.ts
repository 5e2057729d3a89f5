/** Sets the headers that every JSON response of the API has. */
import { apiVersion } from '../api-version.ts';
import type { ApiMiddleware, ApiRequest } from './request-state.ts';

/** Sets content type, caching, request id and API version, on answers and on errors. */
export function standardHeaders(): ApiMiddleware {
  const set = ({ event, response }: ApiRequest) => {
    if (!response) return;
    response.headers = {
      ...response.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': event.requestContext.requestId,
      'X-API-Version': apiVersion,
    };
  };
  return { after: set, onError: set };
}
