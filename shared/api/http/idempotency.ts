/**
 * Recognizes repeated requests under an idempotency key.
 *
 * The order of judgment: an exact repetition is answered first. Then the deferred error of the request is reported. A
 * different request under a used key is refused last.
 */
import { ApiError } from '../../base/errors.ts';
import type { Sealing } from '../../store/commit/idempotency-records.ts';
import type { Route } from '../routes.ts';
import { idempotencyKeyOf, requestKeyOf } from './request-key.ts';
import { type ApiMiddleware, deferError } from './request-state.ts';

/** Reads the `Idempotency-Key` header. The catch-all ignores it, because it has no effect that could be repeated. */
export function idempotencyKey(route: Route): ApiMiddleware {
  return {
    before: ({ event, internal: state }) => {
      if (route.method === 'ANY') return;
      const { key, error } = idempotencyKeyOf(event);
      if (key !== undefined) state.idempotencyKey = key;
      if (error) deferError(state, error);
    },
  };
}

/**
 * Finds the idempotency record of an earlier, equal request.
 * @param sealing encrypts the answer of a confidential route
 * @throws ApiError the deferred error, or `idempotency_key_reused`
 */
export function idempotency(route: Route, sealing: Sealing | undefined): ApiMiddleware {
  return {
    before: async ({ event, internal: state }) => {
      const { idempotencyKey: key, principal, apiKey, deferredError } = state;
      if (key === undefined || !principal) {
        if (deferredError) throw deferredError;
        return;
      }
      const stored = await state.idempotencyLoaded;
      const requestKey = await requestKeyOf(route, event, principal.owner, key, {
        caller: apiKey?.keyHash,
        sealing,
      });
      state.requestKey = requestKey;
      if (stored && (await requestKey.matches(stored.fingerprint))) state.repeated = stored;
      else if (deferredError) throw deferredError;
      else if (stored) throw new ApiError('idempotency_key_reused');
    },
  };
}
