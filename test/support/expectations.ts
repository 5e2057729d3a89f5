/**
 * Checks what holds for each response of the API: its headers and, if it is an error, its envelope. The error types are
 * written out here again, so that the tests do not depend on the service's own table of errors.
 */
import { expect } from '@jest/globals';
import type { HttpResponse } from './http.ts';

/** Returns status, code and field of an error as one value, so that a failing test shows all three. */
export function errorSummary({ status, json }: HttpResponse) {
  const { code, field } = json?.error ?? {};
  return { status, code, field };
}

/** Returns the text of a response without the mode of the API key, which messages about unknown IDs name. */
export const textForBothModes = ({ text }: HttpResponse): string =>
  text.replace(/works only in (test|live) mode/, 'works only in one mode');

/** Expects an error with the full envelope. Exactly the validation errors must have a `field`. */
export function expectError(response: HttpResponse, status: number, code: string, field?: string): void {
  expect(errorSummary(response)).toEqual({ status, code, field });
  expectHeaders(response);
  const { error, ...rest } = response.json;
  expect(rest).toEqual({});
  expect(error).toEqual({
    message: expect.stringMatching(/^\S.{10,}[.?]$/s),
    type: errorTypeOf(status, code, field),
    code,
    ...(field !== undefined && { field, details: expect.any(Array) }),
    docUrl: expect.stringMatching(`^https?://.+/docs/errors/${code}$`),
  });
  expect(error.message).not.toMatch(/sk_(test|live)_\w/);
}

/** Expects the headers that each response has, whatever its status. @param contentType that of a file */
export function expectHeaders(
  { status, headers }: HttpResponse,
  contentType = 'application/json; charset=utf-8',
): void {
  expect(headers).toMatchObject({
    'content-type': contentType,
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^\S{16,}$/),
    'x-api-version': expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    'x-ratelimit-limit': expect.stringMatching(/^(1000|5000)$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  });
  expect(Date.parse(String(headers['x-api-version']))).not.toBeNaN();
  expect(Number(headers['x-ratelimit-reset']) % 3600).toBe(0);
  expect('retry-after' in headers).toBe(status === 429);
}

function errorTypeOf(status: number, code: string, field: string | undefined): string {
  if (status === 400) {
    if (field !== undefined) return 'validation_error';
    return code.includes('idempotency_key') ? 'idempotency_error' : 'invalid_request_error';
  }
  const types: Record<number, string> = {
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
    500: 'api_error',
  };
  return types[status] ?? 'no type for this status';
}
