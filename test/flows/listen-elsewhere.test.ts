/**
 * Tests `npx remit listen` at a service that cannot send to this machine: it reads the event log, and misses nothing after
 * lost connections, refusals of either side, and restarts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type FlakyProxy, startFlakyProxy } from '../client/flaky-proxy.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { testConfigFolder } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let proxy: FlakyProxy;
let api: Api;
let receiver: WebhookReceiver;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  stack = await startTestStack();
  proxy = await startFlakyProxy(stack.baseUrl);
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  api = (await newAccount(stack.baseUrl)).test;
  proxy.setFaults();
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
  await receiver.close();
});
afterAll(async () => {
  await rm(testConfigFolder, { recursive: true, force: true });
  await proxy?.close();
  await stack.close();
});

interface Listening {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly error: () => string;
}

function start(
  args: readonly string[],
  { apiKey = api.apiKey, baseUrl = proxy.baseUrl }: { apiKey?: string; baseUrl?: string } = {},
): Listening {
  const child = spawn(process.execPath, ['cli/remit.ts', 'listen', ...args], {
    env: {
      ...process.env,
      REMIT_URL: baseUrl,
      REMIT_API_KEY: apiKey,
      XDG_CONFIG_HOME: testConfigFolder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  return { child, out: () => out, error: () => error };
}

/** Returns a port of this machine at which nothing listens. */
async function freePort(): Promise<number> {
  const reserved = createServer().listen(0, '127.0.0.1');
  await once(reserved, 'listening');
  const { port } = reserved.address() as AddressInfo;
  reserved.close();
  await once(reserved, 'close');
  return port;
}

/** Starts the command, and trusts the secret that it prints. */
async function listen(...args: string[]): Promise<Listening> {
  const started = start(['--follow', '--forward-to', receiver.urlOf('/hooks'), ...args]);
  await waitUntil('the command listens', () => started.error().includes('Listening'));
  receiver.trust('/hooks', /whsec_\S+/.exec(started.error())?.[0] ?? '');
  return started;
}

async function stop({ child }: Listening, signal: NodeJS.Signals = 'SIGINT') {
  child.kill(signal);
  return once(child, 'exit');
}

const newInvoice = async (): Promise<string> => (await api.post('/api/invoices', invoiceBody())).json.id;
const arrived = () => receiver.receivedAt('/hooks').map(({ body }) => JSON.parse(body).data.id as string);
const arrives = (id: string) => waitUntil(`an event of ${id}`, () => arrived().includes(id));

test('an event has the bytes and the headers of a webhook, and the command says which way it uses', async () => {
  const { id: endpoint, secret } = (
    await api.post('/api/webhooks', { url: receiver.urlOf('/real'), events: ['*'] })
  ).json;
  receiver.trust('/real', secret);
  const listening = await listen();
  expect(listening.error()).toContain(
    `Reading the events in test mode from ${new URL(proxy.baseUrl).host}, because of --follow.`,
  );
  const id = await newInvoice();
  await arrives(id);
  const real = await waitUntil('the webhook', () => receiver.receivedAt('/real')[0]);
  const [message] = receiver.receivedAt('/hooks');
  expect(message?.body).toBe(real.body);
  expect(message?.id).toBe(real.id);
  expect(message?.verifiedBy).toEqual([0]);
  await waitUntil('it is shown', () => listening.out().includes(`${id}  ${message?.id}  → 200`));
  expect((await api.get('/api/webhooks')).json.data.map((each: { id: string }) => each.id)).toEqual([
    endpoint,
  ]);
  expect(await stop(listening)).toEqual([0, null]);
});

test('a service that does not accept an endpoint on this machine is read instead', async () => {
  const refusal = {
    error: { type: 'validation_error', code: 'invalid_url', message: 'url is private.', field: 'url' },
  };
  proxy.setFaults({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(refusal),
  });
  const { error } = start([]);
  await waitUntil('the command listens', () => error().includes('Listening'));
  expect(error()).toContain('because it does not accept an endpoint here: url is private.');
});

test('it misses nothing after 429, 500, lost and incomplete responses, and a stopped receiver', async () => {
  const { error } = await listen();
  proxy.setFaults(
    {
      status: 429,
      headers: { 'retry-after': '1', 'content-type': 'application/json' },
      body: JSON.stringify({
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests.' },
      }),
    },
    { status: 503, body: 'Busy' },
    'refuse',
    'cut',
  );
  let answers = 0;
  receiver.respondWith(() => {
    answers += 1;
    return answers === 1 ? { status: 500 } : { status: 204 };
  });
  const ids = [await newInvoice(), await newInvoice()];
  for (const id of ids) await arrives(id);
  await waitUntil('the refused event is sent again', () => arrived().length === 3);
  expect(error()).toContain('Too many requests. Next attempt in 1 s. No event is missed.');
  expect(error()).toContain('The service answers again.');
  expect(error()).toMatch(/Your endpoint refused evt_\w+\. Next attempt in 5 s\./);
  expect(arrived()).toEqual([ids[0], ids[1], ids[0]]);
});

test('it waits for a service that is not up yet, and for one that cannot answer yet', async () => {
  const port = await freePort();
  const listening = start(['--follow'], { baseUrl: `http://127.0.0.1:${port}` });
  await waitUntil('it says that it waits', () => /Next attempt in \d+ s/.test(listening.error()));
  expect(listening.error()).not.toContain('Listening for events');
  proxy.setFaults({ status: 503 });
  const onward = createServer((client) => {
    const service = connect(Number(new URL(proxy.baseUrl).port), '127.0.0.1');
    for (const socket of [client, service]) socket.on('error', () => socket.destroy());
    client.pipe(service).pipe(client);
  }).listen(port, '127.0.0.1');
  try {
    await waitUntil('it listens', () => listening.error().includes('Listening for events'));
    expect(proxy.requests.length).toBeGreaterThan(1);
    const id = await newInvoice();
    await waitUntil('the event is shown', () => listening.out().includes(id));
    expect(await stop(listening)).toEqual([0, null]);
  } finally {
    listening.child.kill('SIGKILL');
    onward.close();
  }
});

test('Ctrl-C ends the wait for a service that never answers', async () => {
  const listening = start(['--follow'], { baseUrl: `http://127.0.0.1:${await freePort()}` });
  await waitUntil('it says that it waits', () => /Next attempt in \d+ s/.test(listening.error()));
  expect(await stop(listening)).toEqual([0, null]);
});

test('a restart continues where a killed process stopped, and --from-now begins with new events', async () => {
  const first = await listen();
  const early = await newInvoice();
  await arrives(early);
  receiver.respondWith(() => ({ status: 500 }));
  const refused = await newInvoice();
  await waitUntil('it is refused', () => first.error().includes('Your endpoint refused'));
  receiver.respondWith();
  await stop(first, 'SIGKILL');
  const missed = await newInvoice();
  const second = await listen();
  await arrives(missed);
  expect(second.error()).toContain('Continuing after the event evt_');
  expect(arrived()).toEqual([early, refused, refused, missed]);
  await stop(second);
  await newInvoice();
  await listen('--from-now', '--events', 'invoice.created');
  const late = await newInvoice();
  await arrives(late);
  expect(arrived()).toEqual([early, refused, refused, missed, late]);
});

test('while nothing answers at the URL, it waits and then sends all in order', async () => {
  const url = receiver.urlOf('/hooks');
  await receiver.close();
  const listening = start(['--follow', '--forward-to', url]);
  await waitUntil('the command listens', () => listening.error().includes('Listening'));
  const ids = [await newInvoice(), await newInvoice()];
  await waitUntil('it waits', () => listening.error().includes('Nothing answers'));
  receiver = await startWebhookReceiver(undefined, Number(new URL(url).port));
  for (const id of ids) await arrives(id);
  expect(arrived()).toEqual(ids);
});

test('a revoked or unknown key ends the command with an error', async () => {
  const { child, error } = start(['--follow'], { apiKey: `${api.apiKey.slice(0, -1)}0` });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(error()).toContain('invalid_api_key');
});
