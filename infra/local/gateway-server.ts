/**
 * The HTTP server under the gateway: one request of a connection after the other, answers also to what is not
 * HTTP, and an orderly end. It knows nothing of routes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type GatewayAnswer, rawAnswer } from './gateway-error.ts';
import { declaresMoreThan } from './request-body.ts';
import { StartError } from './start-error.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** A body that is announced as larger is not asked for (`Expect: 100-continue`). */
  readonly bodyLimitBytes: number;
  /** Answers a request; if it rejects, the connection is cut. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** The answer to bytes that are no request. */
  readonly unreadable: (reason: 'malformed_request' | 'headers_too_large') => GatewayAnswer;
}

export interface GatewayServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** One connection: its requests without an answer, which are served in turn, and the end of the last turn. */
interface Connection {
  turn: Promise<void>;
  readonly unanswered: Map<IncomingMessage, PromiseWithResolvers<void>>;
}

/** API Gateway's limit of request line and headers together. */
const headerLimitBytes = 10_240;
const closesWithinMs = 3_000;
const cutOffAfterMs = 2_000;

/** Starts listening. Throws a `StartError` if the port is taken or may not be used. */
export async function listen({
  host,
  port,
  bodyLimitBytes,
  serve,
  unreadable,
}: ListenOptions): Promise<GatewayServer> {
  const connections = new Map<Duplex, Connection>();

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    const answered = Promise.withResolvers<void>();
    request.on('error', () => {});
    response.on('error', () => {}).once('close', answered.resolve);
    connection.unanswered.set(request, answered);
    connection.turn = connection.turn
      .then(() => serve(request, response))
      .then(() => answered.promise)
      .catch(() => void request.socket.destroy())
      .finally(() => connection.unanswered.delete(request));
  };

  /** What was read in full before is answered first; a request that broke off in its body never will be. */
  const refuse = async (error: NodeJS.ErrnoException, socket: Duplex) => {
    const unanswered = [...(connections.get(socket)?.unanswered ?? [])];
    await Promise.all(
      unanswered.filter(([request]) => request.complete).map(([, answered]) => answered.promise),
    );
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const reason = error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request';
    socket.resume().end(rawAnswer(unreadable(reason)));
    setTimeout(() => socket.destroy(), cutOffAfterMs).unref();
  };

  const server = createServer(
    { maxHeaderSize: headerLimitBytes, requireHostHeader: false, keepAliveTimeout: 65_000 },
    take,
  );
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    const connection: Connection = { turn: Promise.resolve(), unanswered: new Map() };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const answered of connection.unanswered.values()) answered.resolve();
      connections.delete(socket);
    });
  });
  server.on('checkExpectation', take);
  server.on('checkContinue', (request, response) => {
    if (declaresMoreThan(request, bodyLimitBytes)) response.shouldKeepAlive = false;
    else response.writeContinue();
    take(request, response);
  });
  server.on('connect', (_request, socket) => void refuse(new Error('CONNECT'), socket));
  server.on('clientError', (error, socket) => void refuse(error, socket));
  await bind(server, host, port);

  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      const patience = new Promise((resolve) => setTimeout(resolve, closesWithinMs).unref());
      await Promise.race([settled(connections), patience]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Waits until every request that has begun is answered. */
async function settled(connections: ReadonlyMap<Duplex, Connection>): Promise<void> {
  const busy = () => [...connections.values()].filter(({ unanswered }) => unanswered.size > 0);
  for (let rest = busy(); rest.length > 0; rest = busy()) await Promise.all(rest.map(({ turn }) => turn));
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ port, host, backlog: 4096 });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new StartError(`Port ${port} is in use: stop what listens there, or set PORT to another one.`);
    }
    if (code === 'EACCES') throw new StartError(`Port ${port} may not be used: set PORT to one above 1023.`);
    throw error;
  }
}
