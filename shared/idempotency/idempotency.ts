/**
 * Replay, for admitted requests under a key: an exact repetition is recognised before anything else is judged; then
 * come the faults held back so far; a different request under a used key is refused after those.
 */
import type { MiddlewareObj } from '@middy/core';
import { ApiError } from '../errors.ts';
import type { ApiResponse, Exchange } from '../http/exchange.ts';
import { requestKeyOf } from './request-key.ts';

/** Answers a repetition. @throws ApiError the fault held back so far, or `idempotency_key_reused` (semantics 5) */
export function idempotency(): MiddlewareObj<Exchange, ApiResponse> {
  return {
    before: async ({ event: exchange }) => {
      const { idempotencyKey, admission } = exchange;
      if (!idempotencyKey || !admission) {
        if (exchange.held) throw exchange.held;
        return;
      }
      const kept = await exchange.idempotencyAhead;
      exchange.requestKey = await requestKeyOf(exchange, admission.owner, idempotencyKey);
      const isRepetition = kept !== undefined && (await exchange.requestKey.matches(kept.fingerprint));
      if (isRepetition) exchange.repeated = kept;
      else if (exchange.held) throw exchange.held;
      else if (kept) throw new ApiError('idempotency_key_reused');
    },
  };
}
