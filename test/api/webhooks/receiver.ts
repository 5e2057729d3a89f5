/** Runs a webhook receiver on this machine. It records every request, and the test decides its responses. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly json: any;
}

export interface MailboxResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Returns the response to the `nth` request, counted from 1, or undefined to close the connection. */
export type MailboxBehavior = (
  received: ReceivedRequest,
  nth: number,
) => MailboxResponse | undefined | Promise<MailboxResponse | undefined>;

/** A URL of the receiver, with its requests and its response. */
export interface Mailbox {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  respondWith(behavior: MailboxBehavior | number): void;
}

export interface MailboxReceiver {
  /** Returns a new mailbox, which responds with 200 by default. */
  mailbox(): Mailbox;
  close(): Promise<void>;
}

const always =
  (status: number): MailboxBehavior =>
  () => ({ status });

export async function startMailboxReceiver(): Promise<MailboxReceiver> {
  const boxes = new Map<string, { received: ReceivedRequest[]; behavior: MailboxBehavior }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(chunks);
    const box = boxes.get(path);
    if (!box) return void response.writeHead(404).end();
    const received = { method, path, headers, body, json: JSON.parse(body.toString()) };
    sendResponse(response, await box.behavior(received, box.received.push(received)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  const mailbox = (): Mailbox => {
    const path = `/hooks/${boxes.size}`;
    const box = { received: [] as ReceivedRequest[], behavior: always(200) };
    boxes.set(path, box);
    return {
      url: `http://127.0.0.1:${address.port}${path}`,
      received: box.received,
      respondWith: (behavior) => {
        box.behavior = typeof behavior === 'number' ? always(behavior) : behavior;
      },
    };
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { mailbox, close };
}

function sendResponse(response: ServerResponse, content: MailboxResponse | undefined): void {
  if (!content) return void response.destroy();
  response.writeHead(content.status, content.headers).end(content.body);
}

/**
 * Verifies the exact bytes of a request with the published library, at the time of signing: the clock of the service
 * may differ from the clock of the machine.
 * @throws Error if no signature is valid
 */
export function verify(secret: string, { headers, body }: ReceivedRequest): unknown {
  const realNow = Date.now;
  const at = Number(headers['webhook-timestamp']) * 1000;
  Date.now = () => at;
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = realNow;
  }
}

/** Whether the secret verifies the request. */
export function isVerifiedBy(secret: string, received: ReceivedRequest): boolean {
  try {
    verify(secret, received);
    return true;
  } catch {
    return false;
  }
}

export const signaturesOf = ({ headers }: ReceivedRequest): string[] =>
  String(headers['webhook-signature']).split(' ');
