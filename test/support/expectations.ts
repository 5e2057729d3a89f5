/**
 * What every answer of the API must look like: its headers and, if it is an error, its envelope. Status, type and
 * code are spelled out here once more, so that the service's own table of errors is tested and not quoted.
 */
import { expect } from '@jest/globals';
import type { HttpResponse } from './http.ts';

/** The path of the error as one value, so that a test that fails shows all of it. */
export function faultOf({ status, json }: HttpResponse) {
  const { code, field } = json?.error ?? {};
  return { status, code, field };
}

/** A refusal with the full envelope. A `field` is expected of validation errors, and only of them. */
export function expectError(response: HttpResponse, status: number, code: string, field?: string): void {
  expect(faultOf(response)).toEqual({ status, code, field });
  expectHeaders(response);
  const { error, ...rest } = response.json;
  expect(rest).toEqual({});
  expect(error).toEqual({
    message: expect.stringMatching(/^\S.{10,}\.$/s),
    type: typeOf(status, code, field),
    code,
    ...(field !== undefined && { field }),
  });
  expect(error.message).not.toMatch(/sk_(test|live)_\w/);
}

/** The headers that every response carries, whatever its status. */
export function expectHeaders({ status, headers }: HttpResponse): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
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

function typeOf(status: number, code: string, field: string | undefined): string {
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
