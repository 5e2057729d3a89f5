/** Starts a webhook receiver that stores each raw message and responds with 204. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { waitUntil } from '../support/wait-until.ts';

export interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface MessageLog {
  readonly url: string;
  /** Waits for the next message, in the order of arrival. */
  next(): Promise<Message>;
  close(): Promise<void>;
}

export async function startMessageLog(): Promise<MessageLog> {
  const messages: Message[] = [];
  const server = createServer(async (request, response) => {
    messages.push({ headers: request.headers, body: await buffer(request) });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    next: () => waitUntil('a message', () => messages.shift()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
