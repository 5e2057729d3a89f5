/**
 * Makes the Lambda handler of a Hono app: it converts events of API Gateway's REST API (v1), and writes one log line for
 * each request. The fields of the line are listed here one by one. A path, a query, a cookie or a form is never among them.
 */
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Hono } from 'hono';
import { withDeadline } from '../../base/deadline.ts';
import { env } from '../../base/env.ts';
import { logger, serializeError } from '../../base/log.ts';
import { type Instant, now } from '../../base/time.ts';
import { type CallCount, countingCalls } from '../../store/call-count.ts';
import { bodyBytesOf } from './api-handler.ts';
import { compressPage } from './compression.ts';

/** What an app knows about a request beside its method, path, headers and body. Hono calls it the bindings. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly sourceIp: string;
  readonly startedAt: Instant;
  /** The base URL of the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** What the app adds to the log line. */
  readonly logged: {
    route?: string;
    user?: string | undefined;
    account?: string;
    mode?: string;
    error?: unknown;
  };
}

/** The media type of PDFs, whose bytes the gateway gets in base64. */
export const pdfType = 'application/pdf';

/** A Hono app that this file can serve. */
export type GatewayApp = Hono<{ Bindings: GatewayRequest }>;

/**
 * Returns the Lambda handler of `app`. The app answers every error itself, so the handler never throws.
 *
 * - It does without middy: Hono has the middleware, and `Headers` has no case.
 */
export function honoHandler(app: GatewayApp) {
  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const callCount: CallCount = { calls: 0, inSequence: 0 };
    return withDeadline(context, () => countingCalls(callCount, () => answer(app, event, callCount)));
  };
}

async function answer(
  app: GatewayApp,
  event: APIGatewayProxyEvent,
  callCount: CallCount,
): Promise<APIGatewayProxyResult> {
  const { requestId, identity } = event.requestContext;
  const startedAt = now();
  const gatewayRequest: GatewayRequest = {
    requestId,
    sourceIp: identity.sourceIp,
    startedAt,
    baseUrl: baseUrlOf(event),
    logged: {},
  };
  const request = toRequest(event);
  const response = await app.fetch(request, gatewayRequest);
  const { route, user, account, mode, error } = gatewayRequest.logged;
  logger[error ? 'error' : 'info']('dashboard request', {
    requestId,
    route: `${event.httpMethod} ${route ?? event.resource}`,
    user,
    account,
    mode,
    status: response.status,
    durationMs: now() - startedAt,
    dynamodbCalls: callCount.calls,
    dynamodbCallsInSequence: callCount.inSequence,
    error: error ? serializeError(error) : undefined,
  });
  return toResult(response, requestId, request.headers);
}

/** The `Host` header is not used: a client can send any. */
function baseUrlOf({ requestContext: { domainName, stage } }: APIGatewayProxyEvent): string {
  return env.dashboardUrl() || `https://${domainName}/${stage}`;
}

/** The host of the request's URL has no meaning. The path does not contain the stage. */
function toRequest(event: APIGatewayProxyEvent): Request {
  const { httpMethod: method, path, multiValueHeaders, multiValueQueryStringParameters: query } = event;
  const url = new URL('https://gateway.invalid');
  url.pathname = path;
  for (const [name, values] of Object.entries(query ?? {})) {
    for (const value of values ?? []) url.searchParams.append(name, value);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    const separator = name.toLowerCase() === 'cookie' ? '; ' : ', ';
    headers.set(name, (values ?? []).join(separator));
  }
  const body = method === 'GET' || method === 'HEAD' ? null : new Uint8Array(bodyBytesOf(event));
  return new Request(url, { method, headers, body });
}

async function toResult(
  response: Response,
  requestId: string,
  asked: Headers,
): Promise<APIGatewayProxyResult> {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie');
  const cookies = response.headers.getSetCookie();
  const bytes = Buffer.from(await response.arrayBuffer());
  const isPdf = response.headers.get('content-type') === pdfType;
  const result = {
    statusCode: response.status,
    headers: { ...Object.fromEntries(headers), 'X-Request-Id': requestId, 'X-Remit-Version': env.version() },
    ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': cookies } }),
    // `text` would take the byte order mark from a file.
    body: bytes.toString(isPdf ? 'base64' : 'utf8'),
    ...(isPdf && { isBase64Encoded: true }),
  };
  if (isPdf) return result;
  return compressPage(result, isOwnRequest(asked) ? (asked.get('accept-encoding') ?? undefined) : undefined);
}

/**
 * Whether the browser says that no other site caused the request. Only then its answer is compressed. A page repeats words of its
 * address, and contains the token of the session's forms. Another site could open addresses that guess the token, and see on the
 * network which answer is shorter (the attack BREACH).
 */
function isOwnRequest(asked: Headers): boolean {
  return ['same-origin', 'none'].includes(asked.get('sec-fetch-site') ?? '');
}
