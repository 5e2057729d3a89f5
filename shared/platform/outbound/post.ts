/**
 * Sends one HTTP POST to an allowed URL within limits. `shared/domain/webhooks/delivery.ts` decides what the response means.
 *
 * - The total time is limited, so that a slow receiver does not occupy a worker.
 * - Only the beginning of the response is read, so that a receiver cannot fill the memory or the table.
 * - Redirects are not followed, because their targets are unchecked.
 * - Responses are not decompressed, because a small one could become very large.
 */
import { agentFor } from './connections.ts';
import {
  exchangeOnce,
  failedPost,
  type OutboundCall,
  type PostLimits,
  type PostRequest,
  type PostResult,
} from './exchange.ts';
import { type TargetPolicy, targetFault } from './target.ts';

export const defaultPostLimits: PostLimits = { totalMs: 15_000, bodyMs: 2_000, bodyBytes: 16_384 };

/** The limits of all POSTs of this process. Tests replace `current`. */
export const postLimits = { current: defaultPostLimits };

/**
 * Posts `request` to `url` and returns the result. Never rejects. The status is final once the response's head arrives:
 * a body that is endless, slow or cut off does not change it.
 */
export async function postTo(
  url: string,
  request: PostRequest,
  policy: TargetPolicy,
  limits: PostLimits = postLimits.current,
): Promise<PostResult> {
  const startedAt = performance.now();
  if (targetFault(url, policy) !== undefined) return failedPost('address_not_allowed', startedAt);
  const call: OutboundCall = { url: new URL(url), request, policy, limits, startedAt };
  const first = await exchangeOnce(call, agentFor(call.url, policy));
  if (first !== 'stale connection') return first;
  // Retries once, on a new connection, because the pool may contain more stale connections.
  const second = await exchangeOnce(call, false);
  return second === 'stale connection' ? failedPost('connection_reset', startedAt) : second;
}
