/** A real HTTP proxy in front of the service, on the loopback address, that loses, delays or replaces what the test says. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * What becomes of one request. `refuse`: the connection breaks before the service gets it; `lose`: after it was
 * carried out; `cut`: in the middle of the answer; `stall`: the rest of the answer never comes; `hang`: none of it does; else this answer
 * instead.
 */
export type Fault = 'refuse' | 'lose' | 'cut' | 'stall' | 'hang' | Answer;

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly at: number;
}

export interface FlakyProxy {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
  /** The next requests meet with these, one each; those after them pass. Forgets what was seen. */
  meet(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const seen: Seen[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { method = '', url: path = '', headers } = incoming;
    seen.push({
      ...{ method, path, headers: headers as Seen['headers'] },
      ...{ body: body.toString(), at: performance.now() },
    });
    const fault = faults.shift();
    if (fault === 'refuse') return void incoming.socket.destroy();
    if (typeof fault === 'object') return answer(outgoing, fault);
    const { status, headers: answered, text } = await forward(target, incoming, body);
    if (fault === 'lose') return void incoming.socket.destroy();
    if (fault === 'hang') return;
    outgoing.writeHead(status, answered);
    if (fault === undefined) outgoing.end(text);
    else outgoing.write(text.slice(0, -1), () => fault === 'cut' && incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    meet: (...next) => {
      seen.length = 0;
      faults.splice(0, faults.length, ...next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers).end(body);
}

function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>(
    (resolve, reject) => {
      const { method, url, headers } = incoming;
      const sent = request(`${target}${url}`, {
        method,
        headers: { ...headers, connection: 'close' },
      } as object);
      sent.on('error', reject);
      sent.on('response', async (response) => {
        const { connection: _, ...kept } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          headers: kept,
          text: (await buffer(response)).toString(),
        });
      });
      sent.end(body);
    },
  );
}
