/** Answers every error with the error envelope of the API. */
import { env } from '../../base/env.ts';
import { errorBody } from '../../base/errors.ts';
import { ThrottledError } from '../../store/throttling.ts';
import { apiErrorOf } from './api-error.ts';
import type { ApiMiddleware } from './request-state.ts';

/**
 * The longest wait that a client is asked for if it was throttled, or if an endpoint is busy, in seconds. The waits
 * differ, so that clients come back apart.
 */
const longestRetryAfterSeconds = 5;

/** Answers an error as `apiErrorOf` says. */
export function errorEnvelope(): ApiMiddleware {
  return {
    onError: (request) => {
      const isThrottled = request.error instanceof ThrottledError;
      const error = apiErrorOf(request.error);
      if (isThrottled || error.code === 'webhook_busy')
        request.internal.retryAfterSeconds = 1 + Math.floor(Math.random() * longestRetryAfterSeconds);
      if (isThrottled) request.error = error;
      const mode = request.internal.principal?.owner.mode;
      // The key decides the mode. Whether the other mode has the resource is not checked, because that would disclose it.
      if (mode && error.type === 'not_found_error')
        error.message += ` This API key works only in ${mode} mode.`;
      request.response = {
        statusCode: error.status,
        headers: {},
        body: JSON.stringify(errorBody(error, env.baseUrl())),
      };
    },
  };
}
