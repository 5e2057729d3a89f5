/** Builds the rate-limit windows that the response headers show. `rate-limit.ts` decides whether a request is allowed. */
import { ApiError } from '../../base/errors.ts';
import type { Instant } from '../../base/time.ts';
import { hourEndSeconds, hourOf } from '../../store/account-state.ts';

/** The number of requests per hour without a valid key from one source address. Equal to the standard plan's limit. */
export const sourceLimit = 1000;

/** A rate-limit window as the response headers show it. */
export interface RateLimitWindow {
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in seconds since 1970. */
  readonly resetSeconds: number;
}

/** The result for an allowed or refused request, with the window in which it counts. */
export interface LimitedRequest {
  readonly window: RateLimitWindow;
  readonly refusal?: ApiError;
}

/** The window after `used` of `limit` requests in the clock hour of `now`. */
export function rateLimitWindow(limit: number, used: number, now: Instant): RateLimitWindow {
  return { limit, remaining: Math.max(0, limit - used), resetSeconds: hourEndSeconds(hourOf(now)) };
}

/** Refuses a request that exceeds its limit. */
export function exceedLimit(limit: number, now: Instant): Required<LimitedRequest> {
  return { window: rateLimitWindow(limit, limit, now), refusal: new ApiError('rate_limit_exceeded') };
}

/** The window of a request that was not counted, because authentication itself failed. */
export function uncountedWindow(now: Instant): RateLimitWindow {
  return rateLimitWindow(sourceLimit, 0, now);
}
