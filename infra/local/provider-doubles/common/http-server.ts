/** Runs the HTTP server of a provider double on the loopback address, and applies the faults that a test injects. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DoubleRequest, DoubleResponse } from './double-messages.ts';
import { DoubleFaults, type InjectedFault } from './faults.ts';

/** Executes a request. `hold` waits as long as a test holds the request, and must be awaited before the execution. */
export type DoubleHandler = (
  request: DoubleRequest,
  hold: () => Promise<void>,
) => DoubleResponse | Promise<DoubleResponse>;

export interface DoubleServer {
  readonly url: string;
  readonly faults: DoubleFaults;
  /** The requests to the interface of the double, oldest first. The payer's pages are left out. */
  readonly requests: readonly DoubleRequest[];
  close(): Promise<void>;
}

interface ServerOptions {
  /** What the paths of the interface begin with. Faults apply to them. */
  readonly apiPath?: string;
  readonly maxBodyBytes?: number;
}

/**
 * Starts a server.
 * @param port 0 selects any free port
 * @param keepAnswer keeps the answer of an injected fault, if the provider documents that
 */
export async function startDoubleServer(
  port: number,
  handle: DoubleHandler,
  keepAnswer: (request: DoubleRequest, answer: DoubleResponse) => void = () => {},
  { apiPath = '/v1/', maxBodyBytes = 65_536 }: ServerOptions = {},
): Promise<DoubleServer> {
  const faults = new DoubleFaults();
  const requests: DoubleRequest[] = [];
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, maxBodyBytes);
    const isApi = request.path.startsWith(apiPath);
    if (isApi) requests.push(request);
    const fault = isApi ? faults.take(request) : undefined;
    const answerFault = (met: InjectedFault) => {
      if (met.kind === 'answer') keepAnswer(request, { ...met, body: met.body ?? '{}' });
      answerWithFault(response, met);
    };
    if (fault && !isExecuted(fault)) return answerFault(fault);
    const hold = async () => {
      if (fault?.kind === 'hold') await fault.until;
    };
    const answer = await handle(request, hold);
    if (fault && fault.kind !== 'hold') return answerFault(fault);
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(answer.body);
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage, maxBodyBytes: number): Promise<DoubleRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  const url = new URL(incoming.url ?? '/', 'http://double');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function isExecuted(fault: InjectedFault): boolean {
  return fault.kind === 'hold' || ('when' in fault && fault.when === 'after');
}

function answerWithFault(response: ServerResponse, fault: InjectedFault): void {
  const json = { 'Content-Type': 'application/json' };
  if (fault.kind === 'lose') return void response.destroy();
  if (fault.kind === 'hang') return;
  if (fault.kind === 'answer') {
    response.writeHead(fault.status, { ...json, ...fault.headers }).end(fault.body ?? '{}');
    return;
  }
  response.writeHead(200, json).write('{"id":"');
  if (fault.kind === 'slow body') return;
  const chunk = 'x'.repeat(65_536);
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', fill);
  };
  fill();
}
