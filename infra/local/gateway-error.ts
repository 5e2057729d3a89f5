/**
 * The answers that the gateway gives by itself, without a function: what it cannot read, what is too large, and a
 * function that broke. They carry the service's envelope and what headers can be known here.
 */
import { randomUUID } from 'node:crypto';
import { type ErrorCode, errorCodes } from '../../shared/errors.ts';
import { now, toSeconds } from '../../shared/time.ts';

/** An answer that is complete but for its length. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

const hourMs = 3_600_000;
const standardLimit = '1000';

/** A code of the service's own table, for the gateway's part in it. */
export function errorAnswer(
  code: Extract<ErrorCode, 'body_too_large' | 'internal_error'>,
  apiVersion: string | undefined,
  detail: { requestId?: string; field?: string; message?: string } = {},
): GatewayAnswer {
  const { status, type, message } = errorCodes[code];
  return answer(
    status,
    { message: detail.message ?? message, type, code, field: detail.field },
    apiVersion,
    detail,
  );
}

/** 400 for a request that is not HTTP as the gateway reads it. */
export function unreadableAnswer(
  reason: 'malformed_request' | 'headers_too_large',
  apiVersion: string | undefined,
): GatewayAnswer {
  const message =
    reason === 'headers_too_large'
      ? 'The request line and headers must be at most 10240 bytes.'
      : 'The request is not valid HTTP.';
  return answer(400, { message, type: 'invalid_request_error', code: reason }, apiVersion);
}

/** The bytes of an answer on a connection that ends with it. */
export function rawAnswer({ status, headers, body }: GatewayAnswer): Buffer {
  const lines = [
    `HTTP/1.1 ${status} Bad Request`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

function answer(
  status: number,
  error: { message: string; type: string; code: string; field?: string | undefined },
  apiVersion: string | undefined,
  { requestId = randomUUID() }: { requestId?: string } = {},
): GatewayAnswer {
  const endOfHour = (Math.floor(now() / hourMs) + 1) * hourMs;
  return {
    status,
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Request-Id', requestId],
      ...(apiVersion ? [['X-API-Version', apiVersion] as const] : []),
      ['X-RateLimit-Limit', standardLimit],
      ['X-RateLimit-Remaining', standardLimit],
      ['X-RateLimit-Reset', String(toSeconds(endOfHour))],
    ],
    body: Buffer.from(JSON.stringify({ error })),
  };
}
