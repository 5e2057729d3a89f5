/** Answers every error with the error envelope of the API. */
import { ApiError } from '../errors.ts';
import type { ApiMiddleware } from './request-state.ts';

/** Answers an `ApiError` as itself, and any other error as `internal_error`, whose text only the log shows. */
export function errorEnvelope(): ApiMiddleware {
  return {
    onError: (request) => {
      const error = request.error instanceof ApiError ? request.error : new ApiError('internal_error');
      const { message, type, code, field } = error;
      request.response = {
        statusCode: error.status,
        headers: {},
        body: JSON.stringify({ error: { message, type, code, field } }),
      };
    },
  };
}
