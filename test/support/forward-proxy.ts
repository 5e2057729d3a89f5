/** An HTTP proxy as companies have it: it passes requests on, opens tunnels with CONNECT, and is the only way to names it knows. */
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { listenOnLoopback } from './loopback-server.ts';

export interface ForwardProxy {
  readonly url: string;
  /** What clients have asked for: `CONNECT host:port`, or the method and the whole URL. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** Starts the proxy. All names lead to this machine, on the same port. */
export async function startForwardProxy(): Promise<ForwardProxy> {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '', headers } = incoming;
    seen.push(`${method} ${url}`);
    if (!URL.canParse(url)) return void response.writeHead(400).end();
    const { port, pathname, search } = new URL(url);
    const onward = request(
      { host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', ({ url = '' }, client) => {
    seen.push(`CONNECT ${url}`);
    const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client);
      client.pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
    client.on('close', () => target.destroy());
  });
  const { endpoint, close } = await listenOnLoopback(server);
  return { url: endpoint, seen, close };
}
