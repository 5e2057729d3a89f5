/** Runs webhook receivers that misbehave. They use plain TCP, so that they can send what no HTTP server sends. */
import { createServer, type Socket } from 'node:net';

export interface TcpReceiver {
  readonly port: number;
  /** The URL on 127.0.0.1. */
  readonly url: string;
  /** The head and body of each complete request. */
  readonly requests: readonly string[];
  /** The number of all connections so far. */
  connections(): number;
  openConnections(): number;
  close(): Promise<void>;
}

/** Reacts to a complete request: the `nth` on its connection, counted from 1. Connections are counted from 1, too. */
export type TcpBehavior = (socket: Socket, nth: number, connection: number) => void;

/** Listens on a free port of `host`. Calls `greet` for each new connection, before a request arrives. */
export async function startTcpReceiver(
  behave: TcpBehavior,
  { host = '127.0.0.1', greet }: { host?: string; greet?: (socket: Socket) => void } = {},
): Promise<TcpReceiver> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    greet?.(socket);
    let nth = 0;
    onRequests(socket, (request) => {
      requests.push(request);
      behave(socket, ++nth, connection);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/hook`,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Returns the text of a response with `status`, more header lines, a body and its length. */
export function httpResponse(status = '200 OK', body = '', headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  );
}

export const respondWithText =
  (text: string | Buffer): TcpBehavior =>
  (socket) =>
    void socket.write(text);

export const respondAndClose =
  (text: string): TcpBehavior =>
  (socket) =>
    void socket.end(text);

export const neverRespond: TcpBehavior = () => {};

/** Sends `text` byte by byte. */
export const respondSlowly =
  (text: string, everyMs: number): TcpBehavior =>
  (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at < text.length) socket.write(text.slice(at, ++at));
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };

/** Sends `start`, and then `piece` repeatedly, as fast as the client reads. */
export const respondEndlessly =
  (start: string, piece: string): TcpBehavior =>
  (socket) => {
    const pieces = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
    const fill = () => {
      while (!socket.destroyed && socket.write(pieces));
    };
    socket.on('drain', fill);
    socket.write(start);
    fill();
  };

/** Calls `take` with each complete request. */
function onRequests(socket: Socket, take: (request: string) => void): void {
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    pending += chunk;
    for (let end = endOf(pending); end !== undefined; end = endOf(pending)) {
      take(pending.slice(0, end));
      pending = pending.slice(end);
    }
  });
}

function endOf(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return text.length < end ? undefined : end;
}
