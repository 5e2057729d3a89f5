/**
 * Replaces API Gateway on a local stack. For each HTTP request it finds the route, calls the function with a REST
 * event, and sends the function's response. It serves exactly the routes that it is given.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { toApiGatewayEvent } from './api-gateway-event.ts';
import {
  type GatewayResponse,
  gatewayError,
  malformedRequestResponse,
  noRouteResponse,
  type ServiceFacts,
} from './gateway-error.ts';
import { type GatewayServer, startHttpServer } from './gateway-server.ts';
import { type LambdaHandler, lambdaContext, loadHandler } from './handler.ts';
import { readLambdaResponse } from './lambda-response.ts';
import { type ReportError, summarizeError } from './loop.ts';
import { discardRest, readBody } from './request-body.ts';
import { createRouteMatcher, type LocalRoute, normalizePath, type RouteMatch } from './route-table.ts';
import { beginRequest } from './running-requests.ts';

/** A request after its response is complete. It has no header, no query and no body. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path of the route in the syntax of API Gateway, or undefined if no route serves the request. */
  readonly route: string | undefined;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
}

/** Learns of each request that the gateway has answered. */
export type RequestListener = (request: AnsweredRequest) => void;

export type ApiHandler = LambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>;

export interface GatewayOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly report: ReportError;
  readonly onRequest?: RequestListener | undefined;
  /** Loads a handler file. The default is `loadHandler`. */
  readonly load?: (file: string) => Promise<ApiHandler>;
  /** The timeout of a function. The default is 29 seconds, the limit of API Gateway. */
  readonly timeoutMs?: number;
}

export interface Gateway {
  /** `http://<host>:<port>` without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Loads all handlers and starts to respond. Earlier requests wait until then. Rejects if a handler does not load.
   * @param apiVersion the value of `X-API-Version` in the gateway's own responses
   */
  serve(routes: readonly LocalRoute[], apiVersion: string): Promise<void>;
  /** Accepts no more requests. Waits at most 3 seconds for running ones. */
  close(): Promise<void>;
}

interface Endpoints extends ServiceFacts {
  readonly match: (method: string, path: string) => RouteMatch | undefined;
  readonly handlers: ReadonlyMap<string, ApiHandler>;
}

/** What a request asks for. */
interface Target {
  readonly found: RouteMatch | undefined;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly requestId: string;
}

const bodyLimitBytes = 10 * 1024 * 1024;

/** Starts to listen. Requests get no response before `serve`. @throws StartError if the port is in use */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const endpoints = Promise.withResolvers<Endpoints>();
  let version: string | undefined;
  endpoints.promise.catch(() => {});
  const server: GatewayServer = await startHttpServer({
    ...options,
    bodyLimitBytes,
    toErrorResponse: (reason) =>
      malformedRequestResponse(reason, { baseUrl: server.baseUrl, apiVersion: version }),
    serve: async (request, response) => respond(request, response, await endpoints.promise, options),
  });
  return {
    baseUrl: server.baseUrl,
    serve: async (routes, apiVersion) => {
      const files = [...new Set(routes.map((route) => route.handler))];
      const load = options.load ?? loadHandler<APIGatewayProxyEvent, APIGatewayProxyResult>;
      const handlers = await Promise.all(files.map(async (file) => [file, await load(file)] as const));
      version = apiVersion;
      const { baseUrl } = server;
      const match = createRouteMatcher(routes);
      endpoints.resolve({ baseUrl, apiVersion, match, handlers: new Map(handlers) });
    },
    close: async () => {
      endpoints.reject(new Error('The gateway closed before it served a request.'));
      await server.close();
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  endpoints: Endpoints,
  options: GatewayOptions,
): Promise<void> {
  response.once('close', beginRequest());
  const requestId = randomUUID();
  if (request.httpVersion === '1.1' && !request.headers.host) {
    send(request, response, malformedRequestResponse('malformed_request', endpoints));
    return;
  }
  const startedAt = performance.now();
  const { path, query } = splitTarget(request.url ?? '/');
  const found = endpoints.match(request.method ?? 'GET', path);
  const { onRequest } = options;
  if (onRequest)
    response.once('finish', () =>
      onRequest({
        method: request.method ?? 'GET',
        route: found?.route.path,
        pathParameters: found?.pathParameters ?? {},
        status: response.statusCode,
        durationMs: performance.now() - startedAt,
        requestId,
      }),
    );
  const body = await readBody(request, bodyLimitBytes);
  if (body === 'aborted') return;
  if (body === 'too large') {
    send(request, response, gatewayError('body_too_large', endpoints, { requestId, field: 'body' }));
    discardRest(request);
    return;
  }
  const target = { found, path, query, body, requestId };
  send(request, response, await invokeHandler(request, target, endpoints, options));
}

/** Calls the function and returns its response. Returns 500 if it throws, times out or returns an invalid response. */
async function invokeHandler(
  request: IncomingMessage,
  { found, requestId, ...parts }: Target,
  endpoints: Endpoints,
  options: GatewayOptions,
): Promise<GatewayResponse> {
  if (!found) return noRouteResponse();
  const file = found.route.handler;
  try {
    const handler = endpoints.handlers.get(file);
    if (!handler) throw new Error(`${file} is not loaded.`);
    const event = toApiGatewayEvent({ request, match: found, requestId, ...parts });
    const { timeoutMs = 29_000 } = options;
    return readLambdaResponse(await withTimeout(handler(event, lambdaContext(file, timeoutMs)), timeoutMs));
  } catch (error) {
    options.report(`${file}: ${summarizeError(error)}`);
    return gatewayError('internal_error', endpoints, { requestId });
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayResponse,
): void {
  if (response.destroyed) return;
  const length = status === 204 || status === 304 ? [] : ['Content-Length', String(Buffer.byteLength(body))];
  response.writeHead(status, [...headers.flat(), ...length]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Splits a request target into path and query. The target can be in absolute form (RFC 9112, section 3.2.2). */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const question = local.indexOf('?');
  const path = question === -1 ? local : local.slice(0, question);
  return { path: normalizePath(path || '/'), query: question === -1 ? '' : local.slice(question + 1) };
}

function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The function did not respond within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
