/** Every error as the envelope that clients know. What is no `ApiError` is `internal_error`; its text stays inside. */
import type { MiddlewareObj } from '@middy/core';
import { ApiError } from '../errors.ts';
import type { ApiResponse, Exchange } from './exchange.ts';

/** Answers whatever is thrown behind it, with the status of the error. */
export function errorEnvelope(): MiddlewareObj<Exchange, ApiResponse> {
  return {
    onError: (request) => {
      const error = request.error instanceof ApiError ? request.error : new ApiError('internal_error');
      const { message, type, code, field } = error;
      request.response = {
        status: error.status,
        body: JSON.stringify({ error: { message, type, code, field } }),
        headers: {},
      };
    },
  };
}
