/** Tests `npx remit listen` at a service on this machine: its output, the forwarded events, and the removal of its endpoint. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Stack } from '../../infra/local/stack.ts';
import { createAccount } from '../../shared/domain/accounts/account-store.ts';
import { type Api, apiOf, invoiceBody } from '../support/api.ts';
import { testConfigFolder } from '../support/command-line.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let api: Api;
let apiKey: string;
let account: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  const { accountId, keys } = await createAccount({ name: 'Test', plan: 'standard' });
  account = accountId;
  apiKey = keys.test;
  api = apiOf(stack.baseUrl, apiKey);
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(async () => {
  await rm(testConfigFolder, { recursive: true, force: true });
  await stack.close();
});

interface Listening {
  readonly child: ChildProcess;
  readonly out: () => string;
  /** The signing secret that the command prints. A receiver of forwarded events verifies them with it. */
  readonly secret: string;
}

async function listen(...args: string[]): Promise<Listening> {
  const child = spawn(process.execPath, ['cli/remit.ts', 'listen', ...args], {
    env: {
      ...process.env,
      REMIT_URL: stack.baseUrl,
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
  await waitUntil('the command listens', () => error.includes('Listening'));
  return { child, out: () => out, secret: /whsec_\S+/.exec(error)?.[0] ?? '' };
}

const endpoints = async () => (await api.get('/api/webhooks')).json.data;

async function payByCard(): Promise<string> {
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  await api.post('/api/payments', cardPaymentBody(id, cards.completes));
  return id;
}

test('a paid invoice is shown as three verified events, and Ctrl-C removes the endpoint', async () => {
  const { child, out } = await listen();
  const id = await payByCard();
  await waitUntil('three events are shown', () => out().trim().split('\n').length >= 3);
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

test('events are forwarded with their original body and ID, signed with the kept secret, and the response is returned', async () => {
  const requests: { body: string; headers: Record<string, string> }[] = [];
  let status = 500;
  const receiver = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>;
    requests.push({ body: (await buffer(request)).toString(), headers });
    response.writeHead(status).end();
    status = 204;
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const forwardTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    const { out, secret } = await listen('--forward-to', forwardTo, '--events', 'invoice.paid', '--json');
    const id = await payByCard();
    await waitUntil('the event is sent again after the 500', () => requests.length === 2);
    const [event] = (await api.get('/api/events?type=invoice.paid')).json.data;
    expect(event.data.id).toBe(id);
    for (const { body, headers } of requests) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(event);
      expect(headers['webhook-id']).toBe(event.id);
    }
    await waitUntil('both are printed', () => out().trim().split('\n').length === 2);
    expect(out().trim().split('\n')).toEqual([requests[0]?.body, requests[1]?.body]);
  } finally {
    receiver.close();
  }
});

test('the secret is kept between starts, until --new-secret, and only its owner can read it', async () => {
  const first = await listen();
  const { secret } = first;
  expect(secret).toMatch(/^whsec_.{44}$/);
  expect((await listen()).secret).toBe(secret);
  const file = join(testConfigFolder, 'remit', 'listen-secrets', `${account.slice(5)}-test`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const renewed = (await listen('--new-secret')).secret;
  expect(renewed).not.toBe(secret);
  expect((await listen()).secret).toBe(renewed);
});

test('the next listener removes the endpoint of a killed one, and an unsigned event is rejected', async () => {
  const first = await listen();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const { out } = await listen();
  const [endpoint, ...others] = await endpoints();
  expect(others).toEqual([]);
  const forged = await fetch(endpoint.url, { method: 'POST', body: '{"type":"invoice.paid"}' });
  expect(forged.status).toBe(400);
  await waitUntil('the forged event is shown as not verified', () => out().includes('NOT VERIFIED'));
});
