/** Sends one request and receives its response, each step within a time limit. `connections.ts` decides where to. */
import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { checkConnection, isCheckedConnection, lookupFor } from './connections.ts';
import { type PostError, type Stage, type TlsCause, tlsCauseOf, toPostError } from './post-fault.ts';
import { readResponseBody } from './response-body.ts';
import type { TargetPolicy } from './target.ts';

export interface PostLimits {
  /** From the call until the response's head, including name resolution and connecting. */
  readonly totalMs: number;
  /** For the response's body, within the rest of the total time. */
  readonly bodyMs: number;
  readonly bodyBytes: number;
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The result of a POST. It has a `status` if the response's head arrived, and otherwise an `error`. */
export interface PostResult {
  /** From the call until the response's head or the failure. */
  readonly durationMs: number;
  readonly status?: number;
  readonly error?: PostError;
  /** Why TLS failed, if `error` is `tls_failure` and the cause is known. */
  readonly cause?: TlsCause;
  /** The `Retry-After` header, unchanged. */
  readonly retryAfter?: string | undefined;
  /** The beginning of the response's body as text, at most 1 KiB in UTF-8. */
  readonly body: string;
}

export interface OutboundCall {
  readonly url: URL;
  readonly request: PostRequest;
  readonly policy: TargetPolicy;
  readonly limits: PostLimits;
  /** From `performance.now()`, in milliseconds. */
  readonly startedAt: number;
}

/** The informational responses (1xx) that are accepted before the final one. */
const maxInformational = 10;
const maxHeadBytes = 16_384;

/**
 * Sends one request and returns the result. Never rejects. `'stale connection'` means that the receiver closed the
 * reused connection before this request arrived. The receiver cannot have processed any part of such a request.
 * @param agent the connection pool, or false for a new connection
 */
export function exchangeOnce(
  call: OutboundCall,
  agent: HttpAgent | false,
): Promise<PostResult | 'stale connection'> {
  return new Promise((resolve) => {
    const request = open(call, agent);
    const connection = watchConnection(request, call);
    const end = (result: PostResult | Promise<PostResult> | 'stale connection') => {
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (error: PostError, cause?: TlsCause) => {
      end(failedPost(error, call.startedAt, cause));
      request.destroy();
    };
    // Resolves directly: a request that waits for a connection of the pool emits no event when it is destroyed.
    const timer = setTimeout(() => fail('timeout'), remainingMs(call));
    let informational = 0;
    request.on('information', () => {
      if (++informational > maxInformational) fail('invalid_response');
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail('invalid_response');
    });
    request.on('error', (error) => {
      if (wasStale(error, connection)) return end('stale connection');
      const code = toPostError(error, connection.stage);
      fail(code, code === 'tls_failure' ? tlsCauseOf(error) : undefined);
    });
    // A later error does not change the result, because it can only cut off the body.
    request.on('response', (response) => end(receive(request, response, call)));
    request.end(call.request.body);
  });
}

function open({ url, request, policy }: OutboundCall, agent: HttpAgent | false): ClientRequest {
  const createRequest = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return createRequest(url, {
    agent,
    method: 'POST',
    lookup: lookupFor(url, policy),
    headers: {
      ...request.headers,
      'content-length': String(request.body.length),
      'accept-encoding': 'identity',
    },
    maxHeaderSize: maxHeadBytes,
    // Both are explicit because environment variables could change the defaults.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
  });
}

interface Connection {
  stage: Stage;
  socket?: Socket;
  /** Whether an earlier request has used the socket. */
  isReused: boolean;
  /** The bytes read from the socket before this request used it. */
  bytesBefore: number;
}

function watchConnection(request: ClientRequest, { url, policy }: OutboundCall): Connection {
  const connection: Connection = { stage: 'connecting', isReused: false, bytesBefore: 0 };
  request.on('socket', (socket) => {
    connection.socket = socket;
    connection.bytesBefore = socket.bytesRead;
    // Node does not set `reusedSocket` if the request has waited for a socket. Listeners on an open one would never be called.
    connection.isReused = isCheckedConnection(socket);
    if (connection.isReused) {
      connection.stage = 'exchanging';
      return;
    }
    checkConnection(socket, url, policy);
    socket.once('connect', () => {
      connection.stage = url.protocol === 'https:' ? 'securing' : 'exchanging';
    });
    socket.once('secureConnect', () => {
      connection.stage = 'exchanging';
    });
  });
  return connection;
}

function wasStale(error: Error & { code?: unknown }, { socket, isReused, bytesBefore }: Connection): boolean {
  const isClosure = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isReused && isClosure && socket?.bytesRead === bytesBefore;
}

async function receive(
  request: ClientRequest,
  response: IncomingMessage,
  call: OutboundCall,
): Promise<PostResult> {
  const { statusCode: status = 0, headers } = response;
  if (status < 200) {
    request.destroy();
    return failedPost('invalid_response', call.startedAt);
  }
  const durationMs = elapsedMs(call.startedAt);
  const withinMs = Math.min(call.limits.bodyMs, remainingMs(call));
  const { text, isComplete } = await readResponseBody(response, {
    withinMs,
    maxBytes: call.limits.bodyBytes,
  });
  // A response can arrive before the whole request is sent. Such a connection would stay open forever.
  if (!isComplete || !request.writableFinished) request.destroy();
  return { durationMs, status, retryAfter: headers['retry-after'], body: text };
}

/** Returns the result of a POST that got no response. @param startedAt from `performance.now()` */
export function failedPost(error: PostError, startedAt: number, cause?: TlsCause): PostResult {
  return { durationMs: elapsedMs(startedAt), error, ...(cause && { cause }), body: '' };
}

function remainingMs({ limits, startedAt }: OutboundCall): number {
  return Math.max(0, limits.totalMs - (performance.now() - startedAt));
}

function elapsedMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
