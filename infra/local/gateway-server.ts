/**
 * Runs the HTTP server of the gateway. It does not know the routes.
 *
 * - It processes the requests of a connection one after another.
 * - It also responds to bytes that are not HTTP.
 * - It completes running requests before it closes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type GatewayResponse, toRawResponse } from './gateway-error.ts';
import { declaresMoreThan } from './request-body.ts';
import { StartError } from './start-error.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** If `Content-Length` announces a larger body, the server sends no `100 Continue`. */
  readonly bodyLimitBytes: number;
  /** Responds to a request. If it rejects, the server closes the connection. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Returns the response to bytes that are not a valid request. */
  readonly toErrorResponse: (reason: 'malformed_request' | 'headers_too_large') => GatewayResponse;
}

export interface GatewayServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** An open connection. */
interface Connection {
  /** Resolves after the last request is processed. */
  lastRequest: Promise<void>;
  /** The requests without a complete response. */
  readonly unanswered: Map<IncomingMessage, PromiseWithResolvers<void>>;
}

/** API Gateway's limit for the request line and headers together. */
const headerLimitBytes = 10_240;
const closesWithinMs = 3_000;
const cutOffAfterMs = 2_000;

const ignore = () => {};

/** Starts the server. @throws StartError if the port is in use or not permitted */
export async function startHttpServer({
  host,
  port,
  bodyLimitBytes,
  serve,
  toErrorResponse,
}: ListenOptions): Promise<GatewayServer> {
  const connections = new Map<Duplex, Connection>();

  const enqueue = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    const answered = Promise.withResolvers<void>();
    request.on('error', ignore);
    response.on('error', ignore).once('close', answered.resolve);
    const previous = connection.lastRequest;
    const serveInTurn = async () => {
      await previous;
      try {
        await serve(request, response);
        await answered.promise;
      } catch {
        request.socket.destroy();
      }
      connection.unanswered.delete(request);
    };
    connection.unanswered.set(request, answered);
    connection.lastRequest = serveInTurn();
  };

  /** Waits for the responses to earlier complete requests, then sends an error. */
  const rejectConnection = async (error: NodeJS.ErrnoException, socket: Duplex) => {
    const unanswered = [...(connections.get(socket)?.unanswered ?? [])];
    await Promise.all(
      unanswered.filter(([request]) => request.complete).map(([, answered]) => answered.promise),
    );
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const reason = error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request';
    socket.resume().end(toRawResponse(toErrorResponse(reason)));
    setTimeout(() => socket.destroy(), cutOffAfterMs).unref();
  };

  const server = createServer(
    { maxHeaderSize: headerLimitBytes, requireHostHeader: false, keepAliveTimeout: 65_000 },
    enqueue,
  );
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    const connection: Connection = { lastRequest: Promise.resolve(), unanswered: new Map() };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const answered of connection.unanswered.values()) answered.resolve();
      connections.delete(socket);
    });
  });
  server.on('checkExpectation', enqueue);
  server.on('checkContinue', (request, response) => {
    if (declaresMoreThan(request, bodyLimitBytes)) response.shouldKeepAlive = false;
    else response.writeContinue();
    enqueue(request, response);
  });
  server.on('connect', (_request, socket) => void rejectConnection(new Error('CONNECT'), socket));
  server.on('clientError', (error, socket) => void rejectConnection(error, socket));
  await bindServer(server, host, port);

  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      const timeout = new Promise((resolve) => setTimeout(resolve, closesWithinMs).unref());
      await Promise.race([waitUntilAnswered(connections), timeout]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Waits until every started request has its response. */
async function waitUntilAnswered(connections: ReadonlyMap<Duplex, Connection>): Promise<void> {
  const busy = () => [...connections.values()].filter(({ unanswered }) => unanswered.size > 0);
  for (let rest = busy(); rest.length > 0; rest = busy())
    await Promise.all(rest.map(({ lastRequest }) => lastRequest));
}

/** Makes a server listen. @throws StartError if the port is in use or not permitted */
export async function bindServer(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ port, host, backlog: 4096 });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} is in use. Stop the program that uses it, or set PORT to another port.`,
      );
    }
    if (code === 'EACCES')
      throw new StartError(`Port ${port} requires administrator rights. Set PORT to a port above 1023.`);
    throw error;
  }
}
