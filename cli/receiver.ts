/** A webhook receiver: verifies what comes with the published Standard Webhooks library, prints it, and forwards it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface ReceiverOptions {
  readonly forwardTo: string | undefined;
  readonly json: boolean;
  readonly print: (line: string) => void;
}

export interface Receiver {
  readonly url: string;
  /** Only what is signed with this secret is believed. */
  trust(secret: string): void;
  close(): Promise<void>;
}

const forwardTimeoutMs = 10_000;
const forwarded = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Starts it on a free port of the loopback interface. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  let secret = '';
  const server = createServer((request, response) => {
    receive(request, secret, options)
      .then((status) => answer(response, status))
      .catch(() => answer(response, 500));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    trust: (value) => {
      secret = value;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the status to answer: that of the receiver behind this one, if there is one. */
async function receive(
  request: IncomingMessage,
  secret: string,
  { forwardTo, json, print }: ReceiverOptions,
): Promise<number> {
  const body = await buffer(request);
  const headers = Object.fromEntries(forwarded.map((name) => [name, String(request.headers[name] ?? '')]));
  let event: { id: string; type: string; data?: { id?: string } };
  try {
    event = new Webhook(secret).verify(body, headers) as typeof event;
  } catch {
    print(`${time()}  NOT VERIFIED: ${request.method} ${request.url}, ${body.length} bytes`);
    return 400;
  }
  const outcome = forwardTo === undefined ? undefined : await forward(forwardTo, headers, body);
  if (json) print(body.toString());
  else {
    const then = outcome ? `  → ${outcome.text}` : '';
    print(`${time()}  ${event.type.padEnd(18)}  ${event.data?.id ?? ''}  ${event.id}  verified${then}`);
  }
  return outcome?.status ?? 200;
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

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

const time = () => new Date().toISOString().slice(11, 19);
