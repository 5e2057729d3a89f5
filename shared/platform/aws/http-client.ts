/**
 * Sends requests to AWS over HTTP/1.1, on connections that it keeps open. It takes the place of the SDK's HTTP handler and has
 * the same options and errors. The client of Node takes twice the CPU for a request.
 *
 * - A connection carries one exchange at a time. It is used again only if the response was complete and nothing followed it.
 *   So a response never reaches another request.
 * - A request is sent once. The caller decides whether it is sent again.
 * - An idle connection does not keep the process alive.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AwsConnection, type Exchange, type ExchangeResult, type TimeLimits } from './http-connection.ts';

/** A request with the method POST to the path `/`. */
export interface AwsRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Options of the SDK's handler. */
export interface HttpOptions extends TimeLimits {
  /** The number of connections to one host. */
  readonly httpAgent?: { readonly maxSockets?: number };
  readonly httpsAgent?: { readonly maxSockets?: number };
}

/** As many as the SDK's handler opens. */
const defaultConnections = 50;
/** How long a connection is idle until the operating system checks that it still exists. */
const keepAliveMs = 1_000;

export class HttpClient {
  readonly #options: HttpOptions;
  readonly #pools = new Map<string, Pool>();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** @throws the error of the connection. Its name is `AbortError` or `TimeoutError` if that is the reason. */
  handle(
    request: AwsRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal | undefined } = {},
  ): Promise<ExchangeResult> {
    if (abortSignal?.aborted) return Promise.reject(abortError(abortSignal));
    const { promise, resolve, reject } = Promise.withResolvers<ExchangeResult>();
    const exchange: Exchange = { bytes: toBytes(request), resolve, reject };
    this.#poolOf(request).start(exchange);
    if (!abortSignal) return promise;
    const abort = () => {
      exchange.isAborted = true;
      reject(abortError(abortSignal));
      exchange.connection?.destroy();
    };
    abortSignal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => abortSignal.removeEventListener('abort', abort));
  }

  /** Closes all connections. */
  destroy(): void {
    for (const pool of this.#pools.values()) pool.destroy();
  }

  #poolOf(target: AwsRequest): Pool {
    const origin = `${target.protocol}//${target.hostname}:${target.port}`;
    const known = this.#pools.get(origin);
    if (known) return known;
    const pool = new Pool(target, this.#options);
    this.#pools.set(origin, pool);
    return pool;
  }
}

/** Returns head and body, which are sent in one write. @throws Error if a header is not valid */
function toBytes({ headers, body }: AwsRequest): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!/^[\t -~]*$/.test(value)) throw new Error(`The header ${name} of a call to AWS is not valid.`);
    if (name !== 'content-length') lines += `${name}: ${value}\r\n`;
  }
  return `POST / HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function abortError({ reason }: AbortSignal): Error {
  const error =
    reason instanceof Error ? new Error('Request aborted', { cause: reason }) : new Error(String(reason));
  return Object.assign(error, { name: 'AbortError' });
}

/** The connections to one host, and the requests that wait for one. */
class Pool {
  readonly #target: AwsRequest;
  readonly #options: HttpOptions;
  readonly #maxOpen: number;
  readonly #open = new Set<AwsConnection>();
  readonly #idle: AwsConnection[] = [];
  readonly #waiting: Exchange[] = [];
  /** The last TLS session. With it, the next connection is made faster. */
  #session: Buffer | undefined;

  constructor(target: AwsRequest, options: HttpOptions) {
    const agent = target.protocol === 'https:' ? options.httpsAgent : options.httpAgent;
    this.#maxOpen = agent?.maxSockets ?? defaultConnections;
    this.#target = target;
    this.#options = options;
  }

  start(exchange: Exchange): void {
    let connection = this.#idle.pop();
    while (connection && !connection.isUsable()) {
      connection.destroy();
      connection = this.#idle.pop();
    }
    if (connection) connection.start(exchange);
    else if (this.#open.size < this.#maxOpen) this.#add().start(exchange);
    else this.#waiting.push(exchange);
  }

  /** Takes a connection whose exchange has ended. */
  release(connection: AwsConnection): void {
    this.#idle.push(connection);
    this.#startWaiting();
  }

  /** Forgets a connection that has closed. */
  remove(connection: AwsConnection): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#startWaiting();
  }

  destroy(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #add(): AwsConnection {
    const connection = new AwsConnection(this.#connect(), this.#options, this);
    this.#open.add(connection);
    return connection;
  }

  #startWaiting(): void {
    let exchange = this.#waiting.shift();
    while (exchange?.isAborted) exchange = this.#waiting.shift();
    if (exchange) this.start(exchange);
  }

  #connect(): Socket {
    const { protocol, hostname, port } = this.#target;
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = protocol === 'https:' ? this.#connectTls(host) : connect({ host, port });
    return socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
  }

  #connectTls(host: string): Socket {
    const { port } = this.#target;
    const servername = isIP(host) ? '' : host;
    const session = this.#session;
    const resumed = session && { session };
    const socket = connectTls({ host, port, servername, ALPNProtocols: ['http/1.1'], ...resumed });
    return socket
      .on('session', (received: Buffer) => {
        this.#session = received;
      })
      .once('close', (hadError) => {
        // The host may refuse the session, and would refuse it again.
        if (hadError && this.#session === session) this.#session = undefined;
      });
  }
}
