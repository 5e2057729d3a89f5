/**
 * API Gateway on one machine: takes HTTP requests, finds the route, calls the function with a REST event and
 * sends what it returned. It knows no endpoint but those of the routes it is given.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { toApiGatewayEvent } from './api-gateway-event.ts';
import { errorAnswer, type GatewayAnswer, unreadableAnswer } from './gateway-error.ts';
import { type GatewayServer, listen } from './gateway-server.ts';
import { type LambdaHandler, lambdaContext, loadHandler } from './handler.ts';
import { readLambdaAnswer } from './lambda-answer.ts';
import { describe, type Report } from './loop.ts';
import { discardRest, readBody } from './request-body.ts';
import { normalisePath, type Route, type RouteMatch, routeTable } from './route-table.ts';

export type ApiHandler = LambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>;

export interface GatewayOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly report: Report;
  /** Loads a handler's file; `loadHandler` without it. */
  readonly load?: (file: string) => Promise<ApiHandler>;
  /** How long a function may run; 29 s without it, as API Gateway allows. */
  readonly timeoutMs?: number;
}

export interface Gateway {
  /** `http://<host>:<port>`, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Loads all handlers and begins to answer; requests that came before wait for it. Rejects if one does not load.
   * @param apiVersion the value of `X-API-Version` on the gateway's own answers
   */
  serve(routes: readonly Route[], apiVersion: string): Promise<void>;
  /** Takes no more requests and waits for those that are running, for some seconds. */
  close(): Promise<void>;
}

interface Endpoints {
  readonly apiVersion: string;
  readonly match: (method: string, path: string) => RouteMatch;
  readonly handlers: ReadonlyMap<string, ApiHandler>;
}

const bodyLimitBytes = 10 * 1024 * 1024;

/** Listens; nothing is answered before `serve`. Throws a `StartError` if the port is taken. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const endpoints = Promise.withResolvers<Endpoints>();
  let version: string | undefined;
  endpoints.promise.catch(() => {});
  const server: GatewayServer = await listen({
    ...options,
    bodyLimitBytes,
    unreadable: (reason) => unreadableAnswer(reason, version),
    serve: async (request, response) => respond(request, response, await endpoints.promise, options),
  });
  return {
    baseUrl: server.baseUrl,
    serve: async (routes, apiVersion) => {
      const files = [...new Set(routes.map((route) => route.handler))];
      const load = options.load ?? loadHandler<APIGatewayProxyEvent, APIGatewayProxyResult>;
      const handlers = await Promise.all(files.map(async (file) => [file, await load(file)] as const));
      version = apiVersion;
      endpoints.resolve({ apiVersion, match: routeTable(routes), handlers: new Map(handlers) });
    },
    close: async () => {
      endpoints.reject(new Error('The gateway was closed before it served.'));
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
  const requestId = randomUUID();
  if (request.httpVersion === '1.1' && !request.headers.host) {
    send(request, response, unreadableAnswer('malformed_request', endpoints.apiVersion));
    return;
  }
  const body = await readBody(request, bodyLimitBytes);
  if (body === 'aborted') return;
  if (body === 'too large') {
    send(
      request,
      response,
      errorAnswer('body_too_large', endpoints.apiVersion, { requestId, field: 'body' }),
    );
    discardRest(request);
    return;
  }
  send(request, response, await answerOf(request, body, requestId, endpoints, options));
}

/** The function's answer, or 500 if it throws, takes too long or returns what is no answer. */
async function answerOf(
  request: IncomingMessage,
  body: Buffer,
  requestId: string,
  { apiVersion, match, handlers }: Endpoints,
  options: GatewayOptions,
): Promise<GatewayAnswer> {
  const { path, query } = splitTarget(request.url ?? '/');
  const found = match(request.method ?? 'GET', path);
  const file = found.route.handler;
  try {
    const handler = handlers.get(file);
    if (!handler) throw new Error(`${file} is not loaded.`);
    const event = toApiGatewayEvent({ request, match: found, path, query, body, requestId });
    const { timeoutMs = 29_000 } = options;
    return readLambdaAnswer(await withTimeout(handler(event, lambdaContext(file, timeoutMs)), timeoutMs));
  } catch (error) {
    options.report(`${file}: ${describe(error)}`);
    return errorAnswer('internal_error', apiVersion, { requestId });
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayAnswer,
): void {
  if (response.destroyed) return;
  const length = status === 204 || status === 304 ? [] : ['Content-Length', String(body.length)];
  response.writeHead(status, [...headers.flat(), ...length]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Path and query of a request target, also of one in absolute form (RFC 9112, 3.2.2). */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const question = local.indexOf('?');
  const path = question === -1 ? local : local.slice(0, question);
  return { path: normalisePath(path || '/'), query: question === -1 ? '' : local.slice(question + 1) };
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
