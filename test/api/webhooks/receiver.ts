/** A receiver of webhooks on this machine, which keeps every request and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Byte by byte. */
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly json: any;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What to answer to the `nth` request, from 1; nothing: the connection is closed. */
export type Behaviour = (received: Received, nth: number) => Answer | undefined | Promise<Answer | undefined>;

/** An address of the receiver: what came there, and what it is answered. */
export interface Mailbox {
  readonly url: string;
  readonly received: readonly Received[];
  answer(behaviour: Behaviour | number): void;
}

export interface Receiver {
  /** A new address, which answers 200 until it is told otherwise. */
  mailbox(): Mailbox;
  close(): Promise<void>;
}

const always =
  (status: number): Behaviour =>
  () => ({ status });

export async function startReceiver(): Promise<Receiver> {
  const boxes = new Map<string, { received: Received[]; behaviour: Behaviour }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(chunks);
    const box = boxes.get(path);
    if (!box) return void response.writeHead(404).end();
    const received = { method, path, headers, body, json: JSON.parse(body.toString()) };
    answerWith(response, await box.behaviour(received, box.received.push(received)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  const mailbox = (): Mailbox => {
    const path = `/hooks/${boxes.size}`;
    const box = { received: [] as Received[], behaviour: always(200) };
    boxes.set(path, box);
    return {
      url: `http://127.0.0.1:${address.port}${path}`,
      received: box.received,
      answer: (behaviour) => {
        box.behaviour = typeof behaviour === 'number' ? always(behaviour) : behaviour;
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

function answerWith(response: ServerResponse, answer: Answer | undefined): void {
  if (!answer) return void response.destroy();
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/**
 * Verifies a request with the published library, over the bytes that came; the machine's clock may differ from the
 * service's, by which the request was signed. Throws if no signature is good.
 */
export function verify(secret: string, { headers, body }: Received): unknown {
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
export function verifies(secret: string, received: Received): boolean {
  try {
    verify(secret, received);
    return true;
  } catch {
    return false;
  }
}

export const signaturesOf = ({ headers }: Received): string[] =>
  String(headers['webhook-signature']).split(' ');
