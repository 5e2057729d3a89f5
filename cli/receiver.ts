/** Receives webhook events: verifies them with the Standard Webhooks library, prints them and forwards them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { type ForwardResult, forwardMessage, signMessage } from './forward-event.ts';

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

const forwardedHeaders = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly data?: { readonly id?: string };
}

/** Returns the line that shows an event. `verified` and the result of forwarding follow it, if there are any. */
export function eventLine(
  { id, type, data }: ShownEvent,
  [verified, result]: readonly (string | undefined)[],
): string {
  const facts = [verified, result && `→ ${result}`].filter((fact) => fact !== undefined);
  return [time(), type.padEnd(18), data?.id ?? '', id, ...facts].join('  ');
}

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
  let event: ShownEvent;
  try {
    event = new Webhook(secret).verify(body, headers) as ShownEvent;
  } catch {
    print(`${time()}  NOT VERIFIED: ${request.method} ${request.url}, ${body.length} bytes`);
    return 400;
  }
  let forwarded: ForwardResult | undefined;
  if (forwardTo !== undefined) {
    // The ID and the time of the event stay.
    const at = Number(headers['webhook-timestamp']) * 1000;
    const signed = signMessage(forwardSecret, { id: event.id, at, body: body.toString() });
    forwarded = await forwardMessage(forwardTo, { ...headers, ...signed }, body);
  }
  print(json ? body.toString() : eventLine(event, ['verified', forwarded?.text]));
  return forwarded?.status ?? 200;
}

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

const time = () => new Date().toISOString().slice(11, 19);
