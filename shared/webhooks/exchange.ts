/** One request and what comes back of it, each step within its bound. Where requests may go is `connections.ts`'s to say. */
import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { readAnswerBody } from './answer-body.ts';
import { judgeConnection, lookupFor } from './connections.ts';
import type { PostAnswer, PostLimits, PostRequest } from './post.ts';
import { type PostError, postErrorOf, type Stage } from './post-fault.ts';
import type { TargetPolicy } from './target.ts';

export interface Call {
  readonly url: URL;
  readonly request: PostRequest;
  readonly policy: TargetPolicy;
  readonly limits: PostLimits;
  readonly startedAt: number;
}

/** Informational answers (1xx) before the one that counts; more are a game. */
const maxInformational = 10;
const maxHeadBytes = 16_384;

/**
 * One request and its answer. `closed before`: the receiver had closed the kept connection before this request came,
 * so nothing of it can have been processed there.
 */
export function exchange(call: Call, agent: HttpAgent | false): Promise<PostAnswer | 'closed before'> {
  return new Promise((resolve) => {
    const request = open(call, agent);
    const connection = watchConnection(request, call);
    const end = (answer: PostAnswer | Promise<PostAnswer> | 'closed before') => {
      clearTimeout(timer);
      resolve(answer);
    };
    const fail = (error: PostError) => {
      end(failed(error, call.startedAt));
      request.destroy();
    };
    // Resolves by itself: a request that still waits for a connection of the pool tells nothing when it is destroyed.
    const timer = setTimeout(() => fail('timeout'), remainingMs(call));
    let informational = 0;
    request.on('information', () => {
      if (++informational > maxInformational) fail('invalid_response');
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail('invalid_response');
    });
    request.on('error', (error) =>
      wasClosedBefore(request, error, connection)
        ? end('closed before')
        : fail(postErrorOf(error, connection.stage)),
    );
    // Nothing after this changes the answer: what an error breaks off then is the body.
    request.on('response', (response) => end(answerOf(request, response, call)));
    request.end(call.request.body);
  });
}

function open({ url, request, policy }: Call, agent: HttpAgent | false): ClientRequest {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, {
    agent,
    method: 'POST',
    lookup: lookupFor(url, policy),
    headers: {
      ...request.headers,
      'content-length': String(request.body.length),
      'accept-encoding': 'identity',
    },
    maxHeaderSize: maxHeadBytes,
    // Both are said because the environment could switch them.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
  });
}

interface Connection {
  stage: Stage;
  socket?: Socket;
  /** What had been read from it when this request got it. */
  bytesBefore: number;
}

function watchConnection(request: ClientRequest, { url, policy }: Call): Connection {
  const connection: Connection = { stage: 'connecting', bytesBefore: 0 };
  request.on('socket', (socket) => {
    connection.socket = socket;
    connection.bytesBefore = socket.bytesRead;
    if (request.reusedSocket) {
      connection.stage = 'exchanging';
      return;
    }
    judgeConnection(socket, url, policy);
    socket.once('connect', () => {
      connection.stage = url.protocol === 'https:' ? 'securing' : 'exchanging';
    });
    socket.once('secureConnect', () => {
      connection.stage = 'exchanging';
    });
  });
  return connection;
}

function wasClosedBefore(
  { reusedSocket }: ClientRequest,
  error: Error & { code?: unknown },
  { socket, bytesBefore }: Connection,
): boolean {
  const isClosure = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return reusedSocket && isClosure && socket?.bytesRead === bytesBefore;
}

async function answerOf(request: ClientRequest, response: IncomingMessage, call: Call): Promise<PostAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (status < 200) {
    request.destroy();
    return failed('invalid_response', call.startedAt);
  }
  const durationMs = elapsedMs(call.startedAt);
  const withinMs = Math.min(call.limits.bodyMs, remainingMs(call));
  const { text, isWhole } = await readAnswerBody(response, { withinMs, maxBytes: call.limits.bodyBytes });
  // Also where the answer came before the request was out: such a connection would wait for ever.
  if (!isWhole || !request.writableFinished) request.destroy();
  return { durationMs, status, retryAfter: headers['retry-after'], body: text };
}

/** The outcome of a post that got no answer; `startedAt` as `performance.now()` told it. */
export function failed(error: PostError, startedAt: number): PostAnswer {
  return { durationMs: elapsedMs(startedAt), error, body: '' };
}

function remainingMs({ limits, startedAt }: Call): number {
  return Math.max(0, limits.totalMs - (performance.now() - startedAt));
}

function elapsedMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
