/**
 * Builds the responses that the gateway sends itself: for malformed and oversize requests, and for functions that fail.
 * They use the service's error envelope and all headers that the gateway can know.
 */
import { randomUUID } from 'node:crypto';
import { securityHeaders } from '../../shared/api/http/security-headers.ts';
import { ApiError, docUrlOf, type ErrorCode, errorBody } from '../../shared/base/errors.ts';
import { now, toSeconds } from '../../shared/base/time.ts';

/** A response without its `Content-Length` header. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | string;
}

const hourMs = 3_600_000;
const standardLimit = '1000';

/** What the gateway's own responses say about the service. */
export interface ServiceFacts {
  /** Without a trailing slash. The docs of error codes are below it. */
  readonly baseUrl: string;
  /** The value of `X-API-Version`. Without it the header is omitted. */
  readonly apiVersion: string | undefined;
}

/** Returns the response for an error code of the service that the gateway also uses. */
export function gatewayError(
  code: Extract<ErrorCode, 'body_too_large' | 'internal_error'>,
  service: ServiceFacts,
  { requestId, ...detail }: { requestId?: string; field?: string } = {},
): GatewayResponse {
  const error = new ApiError(code, detail);
  return buildResponse(error.status, errorBody(error, service.baseUrl), service, requestId);
}

/** Returns the 400 response for a request that the gateway cannot parse as HTTP. */
export function malformedRequestResponse(
  reason: 'malformed_request' | 'headers_too_large',
  service: ServiceFacts,
): GatewayResponse {
  const message =
    reason === 'headers_too_large'
      ? 'The request line and the headers must have at most 10240 bytes together.'
      : 'The request is not valid HTTP.';
  const docUrl = docUrlOf(service.baseUrl);
  return buildResponse(
    400,
    { error: { message, type: 'invalid_request_error', code: reason, docUrl } },
    service,
  );
}

/** Returns API Gateway's own response to a method and path without a route. */
export function noRouteResponse(): GatewayResponse {
  return {
    status: 403,
    headers: [['Content-Type', 'application/json'], ...Object.entries(securityHeaders)],
    body: '{"message":"Missing Authentication Token"}',
  };
}

/** Returns the bytes of a response after which the connection closes. */
export function toRawResponse({ status, headers, body }: GatewayResponse): Buffer {
  const lines = [
    `HTTP/1.1 ${status} Bad Request`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

function buildResponse(
  status: number,
  body: { readonly error: object },
  { apiVersion }: ServiceFacts,
  requestId: string = randomUUID(),
): GatewayResponse {
  const endOfHour = (Math.floor(now() / hourMs) + 1) * hourMs;
  return {
    status,
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['X-Request-Id', requestId],
      ...(apiVersion ? [['X-API-Version', apiVersion] as const] : []),
      ...Object.entries(securityHeaders),
      ['X-RateLimit-Limit', standardLimit],
      ['X-RateLimit-Remaining', standardLimit],
      ['X-RateLimit-Reset', String(toSeconds(endOfHour))],
    ],
    body: JSON.stringify(body),
  };
}
