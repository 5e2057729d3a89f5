/** Sets the rate-limit headers. The limit itself is decided in `auth/`. */

import { ApiError } from '../../base/errors.ts';
import { toSeconds } from '../../base/time.ts';
import { uncountedWindow } from '../../domain/auth/rate-limit-window.ts';
import type { ApiMiddleware, ApiRequest } from './request-state.ts';

/** How soon a client should try again during maintenance. Nobody knows when it ends. */
export const maintenanceRetrySeconds = 60;

/** Sets them on answers and on errors; on a 429 also `Retry-After`, in seconds. */
export function rateLimitHeaders(): ApiMiddleware {
  const set = ({ response, error, internal }: ApiRequest) => {
    if (!response) return;
    const { rateLimit, startedAt } = internal;
    const { limit, remaining, resetSeconds } = rateLimit ?? uncountedWindow(startedAt);
    const isInMaintenance = error instanceof ApiError && error.code === 'maintenance';
    const untilReset = isInMaintenance
      ? maintenanceRetrySeconds
      : Math.max(1, resetSeconds - toSeconds(startedAt));
    const retryAfterSeconds = internal.retryAfterSeconds ?? untilReset;
    response.headers = {
      ...response.headers,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetSeconds),
      ...(response.statusCode === 429 && { 'Retry-After': String(retryAfterSeconds) }),
    };
  };
  return { after: set, onError: set };
}
