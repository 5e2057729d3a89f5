/** `npx remit listen`: what a developer sees of a stack's events, and what it leaves behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Stack } from '../../infra/local/stack.ts';
import { createAccount } from '../../shared/accounts/store.ts';
import { type Api, apiOf, invoiceBody } from '../support/api.ts';
import { cardBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let api: Api;
let apiKey: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  const { keys } = await createAccount({ name: 'Test', plan: 'standard' });
  apiKey = keys.test;
  api = apiOf(stack.baseUrl, apiKey);
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(() => stack.close());

interface Listening {
  readonly child: ChildProcess;
  readonly out: () => string;
  /** What it signs with is shown, so that a receiver behind it can verify. */
  readonly secret: string;
}

async function listen(...words: string[]): Promise<Listening> {
  const child = spawn(process.execPath, ['cli/remit.ts', 'listen', ...words], {
    env: { ...process.env, REMIT_URL: stack.baseUrl, REMIT_API_KEY: apiKey },
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
  await waitUntil('it listens', () => error.includes('Listening'));
  return { child, out: () => out, secret: /whsec_\S+/.exec(error)?.[0] ?? '' };
}

const endpoints = async () => (await api.get('/api/webhooks')).json.data;

async function payByCard(): Promise<string> {
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  await api.post('/api/payments', cardBody(id, cards.completes));
  return id;
}

test('an invoice that is paid shows as three events, verified; Ctrl-C removes the endpoint', async () => {
  const { child, out } = await listen();
  const id = await payByCard();
  await waitUntil('three events came', () => out().trim().split('\n').length >= 3);
  const lines = out().trim().split('\n');
  for (const type of ['invoice.created', 'payment.completed', 'invoice.paid']) {
    expect(lines.filter((line) => line.includes(` ${type} `) && line.endsWith('  verified'))).toHaveLength(1);
  }
  expect(out()).toContain(id);
  expect(await endpoints()).toHaveLength(1);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await endpoints()).toEqual([]);
});

test('events are sent on with the bytes and headers that came, and the answer goes back', async () => {
  const got: { body: string; headers: Record<string, string> }[] = [];
  let status = 500;
  const own = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>;
    got.push({ body: (await buffer(request)).toString(), headers });
    response.writeHead(status).end();
    status = 204;
  });
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  try {
    const to = `http://127.0.0.1:${(own.address() as AddressInfo).port}/hooks`;
    const { out, secret } = await listen('--forward-to', to, '--events', 'invoice.paid', '--json');
    const id = await payByCard();
    await waitUntil('it came again after the 500', () => got.length === 2);
    const [event] = (await api.get('/api/events?type=invoice.paid')).json.data;
    expect(event.data.id).toBe(id);
    for (const { body, headers } of got) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(event);
      expect(headers['webhook-id']).toBe(event.id);
    }
    await waitUntil('both are printed', () => out().trim().split('\n').length === 2);
    expect(out().trim().split('\n')).toEqual([got[0]?.body, got[1]?.body]);
  } finally {
    own.close();
  }
});

test('what a killed listener has left is removed by the next one; what is not signed is not believed', async () => {
  const first = await listen();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const { out } = await listen();
  const [endpoint, ...others] = await endpoints();
  expect(others).toEqual([]);
  const forged = await fetch(endpoint.url, { method: 'POST', body: '{"type":"invoice.paid"}' });
  expect(forged.status).toBe(400);
  await waitUntil('it says so', () => out().includes('NOT VERIFIED'));
});
