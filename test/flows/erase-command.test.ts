/** Tests `remit erase`: its output, its exit codes, what it refuses, and what it says if it is interrupted. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { isLocalStack } from '../../cli/erase.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { run, runOnTerminal, tableLineOf } from '../support/command-line.ts';
import { findTexts } from '../support/find-texts.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

let stack: Stack;
let api: Api;
let live: Api;
let owner: { account: string };

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  ({ test: api, live } = account);
  owner = { account: account.accountId };
});
afterAll(() => stack.close());

const customer = 'dorji@example.bt';
const description = 'Wedding of Dorji';

/** Starts a proxy of DynamoDB that refuses an operation. */
async function startFailingProxy(endpoint: string, operation: string) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (String(request.headers['x-amz-target']).endsWith(`.${operation}`)) {
      const error = {
        __type: 'com.amazon.coral.validate#ValidationException',
        message: 'Refused by the test.',
      };
      return response.writeHead(400).end(JSON.stringify(error));
    }
    const headers = Object.entries(request.headers).filter(
      ([name]) => !/^(host|content-length|connection)$/.test(name),
    );
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

test('the command erases both modes, says what was erased and what remains, and names no customer', async () => {
  for (const each of [api, live])
    await each.post('/api/invoices', invoiceBody({ customerId: customer, description }));
  const args = ['--account', owner.account, '--customer', customer];
  const dry = await run('erase', [...args, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') });
  expect((await api.get(`/api/invoices?customerId=${customer}`)).json.pagination.total).toBe(1);
  expect(await run('erase', args)).toMatchObject({ code: 2, error: expect.stringContaining('add --yes') });
  const other = ['--account', owner.account, '--customer', 'other@example.bt', '--yes', '--mode', 'live'];
  const nothing = await run('erase', other);
  expect(nothing).toMatchObject({
    code: 1,
    out: expect.stringContaining('no invoices of this customer and no such customer in live mode'),
  });

  // A deployment's commands do not have the address of payment pages.
  const { code, out, error } = await run('erase', [...args, '--yes'], { PAY_URL_BASE: undefined });
  expect({ code, error }).toEqual({ code: 0, error: tableLineOf(stack) });
  expect(out).toMatch(
    /^MODE +KIND +ERASED\ntest +customers +0\ntest +drafts +0\ntest +schedules +0\ntest +invoices +1\n/,
  );
  expect(out).toMatch(/^live +invoices +1$/m);
  const [{ customerId }] = (await live.get('/api/invoices')).json.data;
  expect(out).toContain(`The customer ID is now ${customerId}.`);
  expect(out).toContain('after a restore, run this command again');
  expect(findTexts([{ out }], [customer, description])).toEqual([]);
  expect(findTexts(await tableOf(stack).all(''), [customer, description])).toEqual([]);

  const again = await run('erase', [...args, '--yes', '--json']);
  expect([again.code, JSON.parse(again.out)]).toEqual([
    1,
    { accountId: owner.account, dryRun: false, modes: [] },
  ]);
});

test('on a terminal, the command asks for the customer id, and shows how far it is', async () => {
  const id = (await api.post('/api/invoices', invoiceBody({ customerId: customer, description }))).json.id;
  const eraseAfter = (answer: string) =>
    runOnTerminal(['erase', '--account', owner.account, '--customer', customer], {
      columns: 200,
      talk: ['to continue: ', `${answer}\r`],
      extra: process.env,
    });
  const refused = await eraseAfter('someone@example.bt');
  expect(refused.out).toContain(
    "permanently erases the customer's data: 1 invoices, 0 drafts, 0 schedules and 0 customers in test mode.",
  );
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was changed.') });
  expect((await api.get(`/api/invoices/${id}`)).json.customerId).toBe(customer);

  const { code, out } = await eraseAfter(customer);
  expect(code).toBe(0);
  expect(out).toContain('Waiting for requests and background work that started earlier. 1 s.');
  expect((await api.get(`/api/invoices/${id}`)).json.customerId).toMatch(/^erased-/);
});

test('Ctrl-C ends the command with where it stands, and running it again continues', async () => {
  const id = (await api.post('/api/invoices', invoiceBody({ customerId: customer, description }))).json.id;
  const args = ['erase', '--account', owner.account, '--customer', customer];
  const { code, out } = await runOnTerminal(args, {
    columns: 400,
    talk: ['to continue: ', `${customer}\r`, 'Waiting for requests', '\u0003'],
    extra: process.env,
  });
  expect(code).toBe(130);
  expect(out).toContain('The erasure was interrupted. The erasure in test mode is not complete.');
  expect(out).toMatch(
    /This run has erased 0 customers, 0 drafts, 0 schedules, 1 invoices, 0 payments, .* It stopped at: /,
  );
  expect(out).toContain('Run the same command again: it continues.');
  const { customerId } = (await api.get(`/api/invoices/${id}`)).json;
  const again = await run('erase', [...args.slice(1), '--yes']);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining(`The customer ID is now ${customerId}.`),
  });
});

test('a call that fails ends the command with where it stands', async () => {
  for (let count = 0; count < 3; count++)
    await api.post('/api/invoices', invoiceBody({ customerId: customer, description }));
  const proxy = await startFailingProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', 'Scan');
  const args = ['--account', owner.account, '--customer', customer, '--yes', '--mode', 'test'];
  const failed = await run('erase', args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
  await proxy.close();
  expect(failed.code).toBe(1);
  expect(failed.error).toContain('The erasure in test mode is not complete.');
  expect(failed.error).toContain('Run the same command again: it continues.');
  expect((await run('erase', args)).code).toBe(0);
});

test.each([
  [{ DEPLOYMENT_SECRET_FILE: 'secret.json', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }, true],
  [{ DEPLOYMENT_SECRET_FILE: 'secret.json' }, false],
  [{ DEPLOYMENT_SECRET_FILE: 'secret.json', AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.example' }, false],
  [{ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }, false],
  [{}, false],
])('only on the local stack, the command shortens its waits: %j', (environment, isLocal) => {
  expect(isLocalStack(environment)).toBe(isLocal);
});

test('the command rejects an unknown account, an invalid customer or mode, and maintenance', async () => {
  const commandOf = (account: string, ...args: string[]) =>
    run('erase', ['--account', account, '--yes', ...args]);
  const outcomes = await Promise.all([
    commandOf('acct_0000000000000000', '--customer', customer),
    commandOf(owner.account, '--customer', 'no customer'),
    commandOf(owner.account, '--customer', customer, '--mode', 'both'),
    commandOf(owner.account),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([1, 2, 2, 2]);
  expect(outcomes[0]?.error).toContain('There is no account acct_0000000000000000.');
  expect(outcomes[1]?.error).toContain('--customer must be the customerId of an invoice');
  const { endMaintenance, startMaintenance } = await import(
    '../../shared/domain/accounts/maintenance-store.ts'
  );
  await startMaintenance(() => Date.now() - 60_000);
  const refused = await commandOf(owner.account, '--customer', customer);
  await endMaintenance();
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('The service is in maintenance') });
});
