/** Receives webhook events: verifies them with the Standard Webhooks library, prints them and forwards them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface EventReceiverOptions {
  readonly forwardTo: string | undefined;
  /** Signs the events that are forwarded. Required with `forwardTo`. */
  readonly forwardSecret?: string;
  readonly json: boolean;
  readonly print: (line: string) => void;
}

export interface EventReceiver {
  readonly url: string;
  /** Sets the signing secret. Requests with another signature are rejected. */
  setSecret(secret: string): void;
  close(): Promise<void>;
}

const forwardTimeoutMs = 10_000;
const forwardedHeaders = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

/** Starts a receiver on a free port of the loopback interface. */
export async function startEventReceiver(options: EventReceiverOptions): Promise<EventReceiver> {
  let secret = '';
  const server = createServer((request, response) => {
    receive(request, secret, options)
      .then((status) => respond(response, status))
      .catch(() => respond(response, 500));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    setSecret: (value) => {
      secret = value;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Handles one request. Returns the response status: that of the forwarded request, if events are forwarded. */
async function receive(
  request: IncomingMessage,
  secret: string,
  { forwardTo, forwardSecret = '', json, print }: EventReceiverOptions,
): Promise<number> {
  const body = await buffer(request);
  const headers = Object.fromEntries(
    forwardedHeaders.map((name) => [name, String(request.headers[name] ?? '')]),
  );
  let event: { id: string; type: string; data?: { id?: string } };
  try {
    event = new Webhook(secret).verify(body, headers) as typeof event;
  } catch {
    print(`${time()}  NOT VERIFIED: ${request.method} ${request.url}, ${body.length} bytes`);
    return 400;
  }
  const forwarded =
    forwardTo === undefined
      ? undefined
      : await forward(forwardTo, signAgain(forwardSecret, headers, body), body);
  if (json) print(body.toString());
  else {
    const suffix = forwarded ? `  → ${forwarded.text}` : '';
    print(`${time()}  ${event.type.padEnd(18)}  ${event.data?.id ?? ''}  ${event.id}  verified${suffix}`);
  }
  return forwarded?.status ?? 200;
}

/** Replaces the signature of a verified event. Its ID and its time stay. */
function signAgain(secret: string, headers: Record<string, string>, body: Buffer): Record<string, string> {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body.toString());
  return { ...headers, 'webhook-signature': signature };
}

async function forward(
  url: string,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(forwardTimeoutMs);
  try {
    const { status } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    return { status, text: String(status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { status: 502, text: cause?.code ?? message };
  }
}

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

const time = () => new Date().toISOString().slice(11, 19);
