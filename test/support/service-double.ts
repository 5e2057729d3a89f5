/** An HTTP server that takes the place of an AWS service. It answers each request as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type LoopbackServer, listenOnLoopback } from './loopback-server.ts';

/** How the double treats one request. */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object;
    }
  | 'reset'
  | 'reset within the body'
  | 'silent';

/** A request that arrived. */
export interface ArrivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ServiceDouble extends LoopbackServer {
  /** All requests, in the order of arrival. */
  readonly requests: readonly ArrivedRequest[];
  /** The answers to the next requests. The last one is repeated. */
  answers: readonly Answer[];
}

export async function startServiceDouble(): Promise<ServiceDouble> {
  const requests: ArrivedRequest[] = [];
  const server = createServer(async (request, response) => {
    requests.push(await read(request));
    const index = Math.min(requests.length, double.answers.length) - 1;
    answer(double.answers[index] ?? {}, response);
  });
  const listening = await listenOnLoopback(server);
  const double: ServiceDouble = { ...listening, requests, answers: [] };
  return double;
}

async function read(request: IncomingMessage): Promise<ArrivedRequest> {
  const body = (await buffer(request)).toString('utf8');
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers: headers as Record<string, string>, body };
}

function answer(how: Answer, response: ServerResponse): void {
  if (how === 'silent') return;
  if (how === 'reset') {
    response.socket?.destroy();
    return;
  }
  if (how === 'reset within the body') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"Item":', () => response.socket?.destroy());
    return;
  }
  const { status = 200, headers = {}, body = {} } = how;
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
