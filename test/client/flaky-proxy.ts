/** Starts an HTTP proxy in front of the service that loses, delays or replaces responses as a test requests. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * What happens to one request:
 * - `refuse`: the connection breaks before the service receives the request.
 * - `lose`: the connection breaks after the service carried out the request.
 * - `cut`: the connection breaks in the middle of the response.
 * - `stall`: the rest of the response never arrives.
 * - `hang`: the response never arrives.
 * - `pass`: nothing.
 * - A fixed response: the proxy returns it, and the service does not receive the request.
 */
export type ProxyFault = 'refuse' | 'lose' | 'cut' | 'stall' | 'hang' | 'pass' | FixedResponse;

export interface FixedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request that the proxy received. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The time in milliseconds, by `performance.now()`. */
  readonly at: number;
}

export interface FlakyProxy {
  readonly baseUrl: string;
  /** The requests since the last call of `setFaults`. */
  readonly requests: readonly ProxiedRequest[];
  /** Applies one fault to each of the next requests; later requests pass. Also clears `requests`. */
  setFaults(...faults: readonly ProxyFault[]): void;
  close(): Promise<void>;
}

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const requests: ProxiedRequest[] = [];
  const faults: ProxyFault[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { method = '', url: path = '', headers } = incoming;
    requests.push({
      method,
      path,
      headers: headers as ProxiedRequest['headers'],
      body: body.toString(),
      at: performance.now(),
    });
    const fault = faults.shift();
    if (fault === 'refuse') return void incoming.socket.destroy();
    if (typeof fault === 'object') return respond(outgoing, fault);
    const { status, headers: responseHeaders, bytes } = await forward(target, incoming, body);
    if (fault === 'lose') return void incoming.socket.destroy();
    if (fault === 'hang') return;
    outgoing.writeHead(status, responseHeaders);
    if (fault === undefined || fault === 'pass') outgoing.end(bytes);
    else outgoing.write(bytes.subarray(0, -1), () => fault === 'cut' && incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setFaults: (...next) => {
      requests.length = 0;
      faults.splice(0, faults.length, ...next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(outgoing: ServerResponse, { status, headers, body }: FixedResponse): void {
  outgoing.writeHead(status, headers).end(body);
}

function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }>(
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
          bytes: await buffer(response),
        });
      });
      sent.end(body);
    },
  );
}
