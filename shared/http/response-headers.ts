/** The headers that every response carries, whatever its status. */
import type { MiddlewareObj, Request } from '@middy/core';
import { uncountedWindow } from '../admission/admit.ts';
import { apiVersion } from '../api-version.ts';
import { toSeconds } from '../time.ts';
import type { ApiResponse, Exchange } from './exchange.ts';

/** Sets them on every answer and error; on a 429 also `Retry-After`, in seconds. */
export function responseHeaders(): MiddlewareObj<Exchange, ApiResponse> {
  const set = ({ event: exchange, response }: Request<Exchange, ApiResponse>) => {
    if (!response) return;
    const { limit, remaining, resetSeconds } = exchange.window ?? uncountedWindow(exchange.now);
    Object.assign(response.headers, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': exchange.requestId,
      'X-API-Version': apiVersion,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetSeconds),
    });
    if (response.status === 429) {
      response.headers['Retry-After'] = String(Math.max(1, resetSeconds - toSeconds(exchange.now)));
    }
  };
  return { after: set, onError: set };
}
