/** Tests `npx remit mcp` with the client of the protocol's own SDK, over standard input and output, against a real stack. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Stack } from '../../infra/local/stack.ts';
import { type FlakyProxy, startFlakyProxy } from '../client/flaky-proxy.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { run, testConfigFolder } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let proxy: FlakyProxy;
let api: Api;
let live: Api;
const clients = new Set<Client>();

beforeAll(async () => {
  stack = await startTestStack();
  proxy = await startFlakyProxy(stack.baseUrl);
});
beforeEach(async () => {
  ({ test: api, live } = await newAccount(stack.baseUrl));
});
afterEach(async () => {
  for (const client of clients) await client.close();
  clients.clear();
});
afterAll(async () => {
  await proxy?.close();
  await stack?.close();
});

async function connect(args: readonly string[] = [], { apiKey = api.apiKey } = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.add(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['cli/remit.ts', 'mcp', ...args],
      env: {
        ...process.env,
        REMIT_URL: proxy.baseUrl,
        REMIT_API_KEY: apiKey,
        XDG_CONFIG_HOME: testConfigFolder,
      } as Record<string, string>,
      stderr: 'ignore',
    }),
  );
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** Calls a tool. Returns whether it failed, and its texts. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { isError = false, content } = await client.callTool({ name, arguments: args });
  const texts = (content as { text: string }[]).map(({ text }) => text);
  return { isError, texts, json: texts[0]?.startsWith('{') ? JSON.parse(texts[0]) : undefined };
}

const reading = [
  ...['listInvoices', 'getInvoice', 'listPayments', 'getPayment', 'listRefunds', 'getRefund'],
  ...['listEvents', 'getEvent'],
];
const writing = ['createInvoice', 'updateInvoice', 'cancelInvoice', 'createPayment', 'createRefund'];

test('without --allow-writes, the tools only read, and a write is refused', async () => {
  const client = await connect();
  const names = await namesOf(client);
  expect(names).toEqual(expect.arrayContaining([...reading, 'searchDocs']));
  expect(names.filter((name) => writing.includes(name) || /webhook|key|secret|audit/i.test(name))).toEqual(
    [],
  );
  for (const { annotations } of (await client.listTools()).tools)
    expect(annotations?.readOnlyHint).toBe(true);
  const { isError, texts } = await call(client, 'createInvoice', invoiceBody());
  expect([isError, texts[0]]).toEqual([true, expect.stringContaining('start it with --allow-writes')]);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
  expect(client.getInstructions()).toContain('no real money moves');
});

test('with --allow-writes, a model creates, changes, pays, refunds and cancels, and amounts are explained', async () => {
  const client = await connect(['--allow-writes']);
  expect(await namesOf(client)).toEqual(expect.arrayContaining([...reading, ...writing]));
  const created = await call(client, 'createInvoice', invoiceBody({ amount: 250_000, currency: 'BTN' }));
  expect(created.texts[1]).toBe('Amounts in the smallest currency unit: 250000 BTN is Nu. 2,500.00.');
  const { id } = created.json;
  expect((await call(client, 'updateInvoice', { id, amount: 260_000 })).json.amount).toBe(260_000);
  const payment = await call(client, 'createPayment', {
    invoiceId: id,
    method: 'offline',
    reference: 'R 17',
  });
  const refund = { paymentId: payment.json.id, amount: 10_000, reason: 'Less' };
  expect((await call(client, 'createRefund', refund)).json).toMatchObject({ amount: 10_000, invoiceId: id });
  const { id: second } = (await call(client, 'createInvoice', invoiceBody())).json;
  expect((await call(client, 'cancelInvoice', { id: second })).json.status).toBe('cancelled');
  const list = await call(client, 'listInvoices', { status: 'paid', limit: 5 });
  expect(list.json.data.map((invoice: { id: string }) => invoice.id)).toEqual([id]);
  // The relay stores it after the change.
  const event = await waitUntil('the event', async () => {
    const { json } = await call(client, 'listEvents', { type: 'invoice.paid' });
    return json.data[0];
  });
  expect(event.data.id).toBe(id);
});

test('the tools have the fields and filters of the version in which they get their results', async () => {
  const client = await connect(['--allow-writes']);
  const body = { ...invoiceBody(), reference: 'R-1', metadata: { order: '1', draft: 'yes' } };
  const { id } = (await call(client, 'createInvoice', body)).json;
  const updated = await call(client, 'updateInvoice', { id, metadata: { draft: null } });
  expect(updated.json).toMatchObject({ reference: 'R-1', metadata: { order: '1' } });
  expect(updated.json.metadata).not.toHaveProperty('draft');
  const byReference = await call(client, 'listInvoices', { reference: 'R-1' });
  expect(byReference.json.data.map((invoice: { id: string }) => invoice.id)).toEqual([id]);
  const filters = {
    status: ['pending', 'overdue'],
    createdFrom: '2026-01-01',
    currency: updated.json.currency,
  };
  expect((await call(client, 'listInvoices', filters)).json.pagination.total).toBe(1);
});

test('a write whose response is lost names its idempotency key, and a repetition with it takes effect once', async () => {
  const client = await connect(['--allow-writes']);
  proxy.setFaults('lose', 'lose', 'lose');
  const { isError, texts } = await call(client, 'createInvoice', invoiceBody());
  const [, idempotencyKey = ''] = /idempotencyKey "([\w-]+)"/.exec(texts[1] ?? '') ?? [];
  expect([isError, idempotencyKey]).toEqual([true, expect.stringMatching(/^[\w-]{36}$/)]);
  const again = await call(client, 'createInvoice', { ...invoiceBody(), idempotencyKey });
  expect(again.isError).toBe(false);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
});

test('bad input gets an error that names the field, and no answer contains a key', async () => {
  const client = await connect(['--allow-writes']);
  const answers = [
    await call(client, 'createInvoice', invoiceBody({ amount: 12.5 })),
    await call(client, 'createInvoice', { ...invoiceBody(), ammount: 1 }),
    await call(client, 'getInvoice', {}),
    await call(client, 'getInvoice', { id: '../webhooks' }),
    await call(client, 'listInvoices', { limit: 1000 }),
    await call(client, 'getInvoice', { id: '' }),
    await call(client, 'deleteEverything'),
    await call(client, 'createInvoice', { ...invoiceBody(), idempotencyKey: 'x'.repeat(300) }),
    await call(client, 'createInvoice', { ...invoiceBody(), idempotencyKey: 7 }),
    await call(client, 'searchDocs', { query: '' }),
  ];
  expect(answers.map(({ isError }) => isError)).toEqual([...Array(9).fill(true), false]);
  expect(answers[0]?.json).toMatchObject({ code: 'invalid_amount', field: 'amount', status: 400 });
  expect(answers[1]?.texts[0]).toContain('There is no argument ammount.');
  expect(answers[3]?.json).toMatchObject({ code: 'invoice_not_found' });
  expect(answers[5]?.json).toMatchObject({ code: 'invalid_arguments' });
  const { json } = await call(
    client,
    'createInvoice',
    invoiceBody({ description: `My key is ${api.apiKey}` }),
  );
  expect(json.description).toBe('My key is sk_test_[removed]');
  expect(JSON.stringify(answers)).not.toMatch(/sk_(test|live)_\w{8}|whsec_\w{8}/);
});

test('searchDocs finds a guide, and explains an error code', async () => {
  const client = await connect();
  expect((await call(client, 'searchDocs', { query: 'verify webhook signature' })).texts[0]).toContain(
    `${proxy.baseUrl}/docs/webhooks.md\n\n## Verify messages`,
  );
  const [text] = (await call(client, 'searchDocs', { query: 'what is invalid_due_date' })).texts;
  expect(text?.startsWith(`${proxy.baseUrl}/docs/errors/invalid_due_date.md`)).toBe(true);
  expect(text).toContain('## How to fix it');
  expect((await call(client, 'searchDocs', { query: 'zzzqqq' })).texts[0]).toContain('Nothing was found.');
});

test('a live key needs --live, and a service that does not answer is an error', async () => {
  const refused = await run('mcp', [], { REMIT_URL: stack.baseUrl, REMIT_API_KEY: live.apiKey });
  expect(refused).toMatchObject({ code: 2, out: '', error: expect.stringContaining('add --live') });
  const client = await connect(['--live'], live);
  expect(client.getInstructions()).toContain('live mode');
  expect(await namesOf(client)).not.toContain('createInvoice');
  expect((await call(client, 'listInvoices')).json.data).toEqual([]);
  const away = await run('mcp', [], { REMIT_URL: 'http://127.0.0.1:9', REMIT_API_KEY: api.apiKey });
  expect(away).toMatchObject({ code: 1, out: '', error: expect.stringContaining('Check the URL') });
});
