/**
 * A receiver of webhooks as an integrator would write it, on the loopback address and in the test's process: it verifies
 * each message with the published library, over the bytes that came, and keeps it. What it answers is the test's choice.
 */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { type Instant, now } from '../../shared/time.ts';
import type { Certificate } from './self-signed.ts';

/** A message as it came. */
export interface Received {
  readonly id: string;
  readonly at: Instant;
  /** Which of the endpoints at this receiver it was sent to. */
  readonly path: string;
  readonly body: string;
  /** Which of the secrets that are known for the path verify it, by their places. */
  readonly verifiedBy: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a message is answered with; `hang`: nothing, for ever; `close`: the connection breaks. */
export type Decide = (message: Received) => Decision | Promise<Decision>;
type Decision = Answer | 'hang' | 'close';

export interface WebhookReceiver {
  /** In the order of arrival. */
  readonly received: readonly Received[];
  urlOf(path: string): string;
  /** From now on messages to `path` may be signed with that secret, too. */
  trust(path: string, secret: string): void;
  /** From now on messages are answered so; without an argument by 200. */
  answer(decide?: Decide): void;
  receivedAt(path: string): readonly Received[];
  close(): Promise<void>;
}

const ok: Decide = () => ({ status: 200 });

/** With a certificate it is reached by https. */
export async function startWebhookReceiver(certificate?: Certificate): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const secrets = new Map<string, Webhook[]>();
  let decide = ok;
  const listener: RequestListener = async (request, response) => {
    const message = await receive(request, secrets);
    received.push(message);
    const answer = await decide(message);
    if (answer === 'close') request.socket.destroy();
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = certificate ? createHttpsServer(certificate, listener) : createServer(listener);
  // Longer than any test: connections that wait are the sender's to close.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    received,
    urlOf: (path) => `${certificate ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    trust: (path, secret) => secrets.set(path, [...(secrets.get(path) ?? []), new Webhook(secret)]),
    answer: (next = ok) => {
      decide = next;
    },
    receivedAt: (path) => received.filter((message) => message.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(
  request: IncomingMessage,
  secrets: ReadonlyMap<string, readonly Webhook[]>,
): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const path = request.url ?? '';
  const headers = request.headers as Record<string, string>;
  const verifiedBy = (secrets.get(path) ?? []).flatMap((secret, place) =>
    verifies(secret, body, headers) ? [place] : [],
  );
  return { id: headers['webhook-id'] ?? '', at: now(), path, body: body.toString(), verifiedBy };
}

/** The library compares the message's time with the system's clock, which is here the one that the test has set. */
function verifies(secret: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  const { now: systemNow } = Date;
  Date.now = now;
  try {
    secret.verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = systemNow;
  }
}
