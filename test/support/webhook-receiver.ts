/**
 * Runs a webhook receiver as an integrator would write it, on the loopback address and in the test's process. It
 * verifies the bytes of each message with the published library and keeps the message. The test decides the response.
 */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { type Instant, now } from '../../shared/base/time.ts';
import type { Certificate } from './self-signed.ts';

/** A message as it arrived. */
export interface ReceivedMessage {
  readonly id: string;
  readonly at: Instant;
  /** The time with which it is signed. */
  readonly signedAt: Instant;
  /** Identifies the endpoint that it was sent to. */
  readonly path: string;
  readonly body: string;
  /** The indexes of the path's secrets that verify the message. */
  readonly verifiedBy: readonly number[];
}

export interface MessageResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Decides the response to a message. `hang` never responds, and `close` breaks the connection. */
export type Responder = (message: ReceivedMessage) => Decision | Promise<Decision>;
type Decision = MessageResponse | 'hang' | 'close';

export interface WebhookReceiver {
  /** All messages, in the order of arrival. */
  readonly received: readonly ReceivedMessage[];
  urlOf(path: string): string;
  /** Accepts a further secret for messages to `path`. */
  trust(path: string, secret: string): void;
  /** Replaces the responder. Without an argument, all messages get 200. */
  respondWith(responder?: Responder): void;
  receivedAt(path: string): readonly ReceivedMessage[];
  close(): Promise<void>;
}

const ok: Responder = () => ({ status: 200 });

/** Starts a receiver, by default on a free port. With a certificate it uses https, otherwise http. */
export async function startWebhookReceiver(certificate?: Certificate, atPort = 0): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = [];
  const secrets = new Map<string, Webhook[]>();
  let responder = ok;
  const listener: RequestListener = async (request, response) => {
    const message = await receive(request, secrets);
    received.push(message);
    const decision = await responder(message);
    if (decision === 'close') request.socket.destroy();
    else if (decision !== 'hang') response.writeHead(decision.status, decision.headers).end(decision.body);
  };
  const server = certificate ? createHttpsServer(certificate, listener) : createServer(listener);
  // Longer than any test, so that only the sender closes idle connections.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    received,
    urlOf: (path) => `${certificate ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    trust: (path, secret) => secrets.set(path, [...(secrets.get(path) ?? []), new Webhook(secret)]),
    respondWith: (next = ok) => {
      responder = next;
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
): Promise<ReceivedMessage> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const path = request.url ?? '';
  const headers = request.headers as Record<string, string>;
  const verifiedBy = (secrets.get(path) ?? []).flatMap((secret, index) =>
    isVerifiedBy(secret, body, headers) ? [index] : [],
  );
  const signedAt = Number(headers['webhook-timestamp']) * 1000;
  return { id: headers['webhook-id'] ?? '', at: now(), signedAt, path, body: body.toString(), verifiedBy };
}

/** Verifies a message. The library reads the system clock, which is replaced by the clock of the test. */
function isVerifiedBy(secret: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  const { now: systemNow } = Date;
  const at = now();
  Date.now = () => at;
  try {
    secret.verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = systemNow;
  }
}
