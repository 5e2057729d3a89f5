/**
 * Sends requests to AWS with Node's own client, on connections that it keeps open. It takes the place of the SDK's HTTP
 * handler, which takes more CPU, and has the same options and errors.
 *
 * - A request is sent once. The caller decides whether it is sent again.
 * - An idle connection does not keep the process alive.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';

/** A request. Its method is POST and its path is `/`, unless it names others. */
export interface AwsRequest {
  readonly method?: string;
  /** The path with its query, both encoded. */
  readonly path?: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface AwsResponse {
  readonly statusCode: number;
  /** By lower-case name. The values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Options of the SDK's handler. Times are in milliseconds. Without one, there is no limit. */
export interface HttpOptions {
  /** The time to connect. */
  readonly connectionTimeout?: number;
  /** The time without a byte of the response. */
  readonly socketTimeout?: number;
  readonly httpAgent?: { readonly maxSockets?: number };
  readonly httpsAgent?: { readonly maxSockets?: number };
}

/** As many connections as the SDK's handler opens. Node's default is any number. */
const agentDefaults = { keepAlive: true, maxSockets: 50 };
/** The codes of errors that the SDK's handler calls timeouts. */
const timeoutCodes = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

export class HttpClient {
  readonly #options: HttpOptions;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#http = new HttpAgent({ ...agentDefaults, ...options.httpAgent });
    this.#https = new HttpsAgent({ ...agentDefaults, ...options.httpsAgent });
  }

  /**
   * Sends a request once, and reads its response to the end.
   * @returns the status, the headers and the whole body, also of a response that is an error of the service
   * @throws the error of the connection. Its name is `AbortError` or `TimeoutError` if that is the reason.
   */
  async handle(
    { method = 'POST', path = '/', protocol, hostname, port, headers, body }: AwsRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal | undefined } = {},
  ): Promise<{ readonly response: AwsResponse }> {
    if (abortSignal?.aborted) throw abortError(abortSignal);
    const isTls = protocol === 'https:';
    const request = (isTls ? requestHttps : requestHttp)({
      agent: isTls ? this.#https : this.#http,
      method,
      path,
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    const { promise, resolve, reject } = Promise.withResolvers<AwsResponse>();
    // A request that waits for a connection would report its end only when it has one.
    const end = (error: Error) => {
      reject(error);
      request.destroy();
    };
    const abort = () => abortSignal && end(abortError(abortSignal));
    abortSignal?.addEventListener('abort', abort, { once: true });
    request
      .on('error', (error) => reject(describeLoss(error)))
      .once('socket', (socket) => limitTime(request, socket, this.#options, end))
      .once('response', (message) => readResponse(message).then(resolve, reject))
      .end(body);
    try {
      return { response: await promise };
    } finally {
      abortSignal?.removeEventListener('abort', abort);
    }
  }

  /** Closes all connections. */
  destroy(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Reads a response to its end. @throws the error of the connection */
function readResponse(message: IncomingMessage): Promise<AwsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<AwsResponse>();
  const parts: Buffer[] = [];
  message
    .on('data', (part: Buffer) => parts.push(part))
    .once('end', () => resolve(toResponse(message, parts)))
    .on('error', reject);
  return promise;
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, parts: readonly Buffer[]): AwsResponse {
  const [first = Buffer.alloc(0), ...others] = parts;
  const body = others.length === 0 ? first : Buffer.concat(parts);
  return { statusCode, headers: headers as Readonly<Record<string, string>>, body };
}

/** Adds to the error of a request what decides whether the call is made again: as after a lost response, it can be. */
function describeLoss(error: NodeJS.ErrnoException): Error {
  const { code = '' } = error;
  if (timeoutCodes.includes(code)) return Object.assign(error, { name: 'TimeoutError' });
  return code.startsWith('HPE_') ? Object.assign(error, { $retryable: {} }) : error;
}

function abortError({ reason }: AbortSignal): Error {
  const error =
    reason instanceof Error ? new Error('Request aborted', { cause: reason }) : new Error(String(reason));
  return Object.assign(error, { name: 'AbortError' });
}

/**
 * Ends a request without a byte in time. Timers run before the process reads what has arrived. So what arrived while other
 * work held the process still counts, and a busy process does not send its calls again.
 * @param end ends the call with an error, also while nothing arrives
 */
function limitTime(
  request: ClientRequest,
  socket: Socket,
  { connectionTimeout = 0, socketTimeout = 0 }: HttpOptions,
  end: (error: Error) => void,
): void {
  const limitSilence = () => socket.setTimeout(socketTimeout);
  const expire = () => {
    const { bytesRead, connecting } = socket;
    setImmediate(() => {
      const hasProgress = socket.bytesRead !== bytesRead || socket.connecting !== connecting;
      if (!hasProgress && !request.destroyed) end(timeoutError());
    });
  };
  if (socket.connecting) socket.setTimeout(connectionTimeout).once('connect', limitSilence);
  else limitSilence();
  socket.on('timeout', expire);
  // The agent takes the time limit from a connection that becomes idle.
  request.once('close', () => socket.off('timeout', expire).off('connect', limitSilence));
}

const timeoutError = () =>
  Object.assign(new Error('The connection to AWS timed out.'), { name: 'TimeoutError' });
