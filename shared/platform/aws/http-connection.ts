/** Carries requests and responses on one connection to AWS, one exchange after the other. `http-client.ts` has the pool. */
import type { Socket } from 'node:net';
import { type AwsResponse, ResponseReader } from './http-response.ts';

export type ExchangeResult = { readonly response: AwsResponse };

/** A request that waits for its response. */
export interface Exchange {
  readonly bytes: string;
  readonly resolve: (result: ExchangeResult) => void;
  readonly reject: (error: Error) => void;
  /** The connection that carries it. */
  connection?: AwsConnection;
  isAborted?: boolean;
}

/** Times in milliseconds. Without one, there is no limit. */
export interface TimeLimits {
  /** The time to connect. */
  readonly connectionTimeout?: number;
  /** The time without a byte of the response. */
  readonly socketTimeout?: number;
}

/** Where a connection belongs. */
interface ConnectionPool {
  /** Takes a connection whose exchange has ended. */
  release(connection: AwsConnection): void;
  /** Forgets a connection that has closed. */
  remove(connection: AwsConnection): void;
}

/** The time before the server closes an idle connection in which no request is sent on it. */
const closingMs = 1_000;
/** The codes of errors that the SDK's handler calls timeouts. */
const timeoutCodes = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/** A connection to a host. It carries one exchange at a time. */
export class AwsConnection {
  readonly #socket: Socket;
  readonly #pool: ConnectionPool;
  #exchange: Exchange | undefined;
  #reader = new ResponseReader();
  #error: Error | undefined;
  /** When the server closes it, on the clock of `performance.now()`. */
  #closesAt = Number.POSITIVE_INFINITY;

  /** @param socket a new one, which may still connect */
  constructor(
    socket: Socket,
    { connectionTimeout = 0, socketTimeout = 0 }: TimeLimits,
    pool: ConnectionPool,
  ) {
    this.#socket = socket;
    this.#pool = pool;
    socket
      .setTimeout(connectionTimeout)
      .once('connect', () => socket.setTimeout(socketTimeout))
      // Node fires this once after the last byte, also while the connection is idle.
      .on('timeout', () => this.#expire())
      .on('data', (bytes: Buffer) => this.#receive(bytes))
      .on('end', () => {
        this.#end(this.#reader.end());
        this.destroy();
      })
      .on('error', (error) => {
        this.#error ??= error;
      })
      .on('close', () => this.#close());
  }

  /** Whether an idle connection can carry another exchange. */
  isUsable(): boolean {
    return this.#socket.writable && performance.now() < this.#closesAt;
  }

  start(exchange: Exchange): void {
    exchange.connection = this;
    this.#exchange = exchange;
    this.#reader = new ResponseReader();
    this.#socket.ref();
    this.#socket.write(exchange.bytes);
  }

  /** Closes the connection. An exchange on it fails. @param error what it fails with. Without one, its response is lost. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  /**
   * Ends an exchange without a byte in time. Timers run before the process reads what has arrived. So what arrived while other
   * work held the process still counts, and a busy process does not send its calls again.
   */
  #expire(): void {
    const socket = this.#socket;
    const exchange = this.#exchange;
    const { bytesRead, connecting } = socket;
    setImmediate(() => {
      const hasProgress = socket.bytesRead !== bytesRead || socket.connecting !== connecting;
      if (exchange && exchange === this.#exchange && !hasProgress) this.destroy(timeoutError());
    });
  }

  #receive(bytes: Buffer): void {
    try {
      if (this.#exchange) this.#end(this.#reader.push(bytes));
      else this.destroy();
    } catch (error) {
      // As with a lost response, the caller can try again.
      this.destroy(Object.assign(error as Error, { $retryable: {} }));
    }
  }

  /** Passes the response to the caller, if it is complete. */
  #end(response: AwsResponse | undefined): void {
    if (!response || !this.#exchange) return;
    this.#exchange.resolve({ response });
    this.#exchange = undefined;
    const { connection, 'keep-alive': keepAlive = '' } = response.headers;
    const [, seconds] = /timeout=(\d+)/.exec(keepAlive) ?? [];
    if (seconds !== undefined) this.#closesAt = performance.now() + Number(seconds) * 1000 - closingMs;
    // A response can arrive before its request is sent. The rest of the request then follows.
    const isSent = this.#socket.writableLength === 0;
    const isOpen = this.#socket.writable && !this.#socket.readableEnded;
    if (connection?.toLowerCase() === 'close' || !isOpen || !isSent) {
      this.destroy();
    } else {
      this.#socket.unref();
      this.#pool.release(this);
    }
  }

  #close(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#pool.remove(this);
    exchange?.reject(this.#lossError());
  }

  #lossError(): Error {
    const { hasHead } = this.#reader;
    const lost = new Error(hasHead ? 'aborted' : 'socket hang up');
    const error = this.#error ?? Object.assign(lost, { code: 'ECONNRESET' });
    const isTimeout = timeoutCodes.includes((error as NodeJS.ErrnoException).code ?? '');
    return isTimeout && !hasHead ? Object.assign(error, { name: 'TimeoutError' }) : error;
  }
}

const timeoutError = () =>
  Object.assign(new Error('The connection to AWS timed out.'), { name: 'TimeoutError' });
