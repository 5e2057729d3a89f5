/** Receivers of webhooks that misbehave on the wire: plain TCP, so that they can answer what no HTTP server would. */
import { createServer, type Socket } from 'node:net';

export interface Receiver {
  readonly port: number;
  /** Of 127.0.0.1. */
  readonly url: string;
  /** What arrived, head and body, one text for each complete request. */
  readonly requests: readonly string[];
  /** Connections that were made so far, and those that are open. */
  connections(): number;
  open(): number;
  close(): Promise<void>;
}

/** What to do once a request has come completely: `nth` from 1 on its connection, `connection` from 1. */
export type Behaviour = (socket: Socket, nth: number, connection: number) => void;

/** Listens on a free port of `host`. `greet` is called for each connection before anything has arrived. */
export async function startReceiver(
  behave: Behaviour,
  { host = '127.0.0.1', greet }: { host?: string; greet?: (socket: Socket) => void } = {},
): Promise<Receiver> {
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
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Answers with `status`, further header lines and a body of the length that it says. */
export function answer(status = '200 OK', body = '', headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  );
}

export const says =
  (text: string | Buffer): Behaviour =>
  (socket) =>
    void socket.write(text);

export const saysAndCloses =
  (text: string): Behaviour =>
  (socket) =>
    void socket.end(text);

export const hangs: Behaviour = () => {};

/** Sends `text` byte by byte. */
export const trickles =
  (text: string, everyMs: number): Behaviour =>
  (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at < text.length) socket.write(text.slice(at, ++at));
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };

/** Sends `start`, then `piece` again and again, as fast as it is taken. */
export const endlessly =
  (start: string, piece: string): Behaviour =>
  (socket) => {
    const pieces = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
    const fill = () => {
      while (!socket.destroyed && socket.write(pieces));
    };
    socket.on('drain', fill);
    socket.write(start);
    fill();
  };

/** Calls `take` with each request that has come completely. */
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
