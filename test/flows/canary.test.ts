/**
 * Tests the canary: its run, with each step failing, its functions, and the commands that set it up and run it. The
 * function URL is a server on this machine that calls the function.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LambdaFunctionURLResult } from 'aws-lambda';
import { Remit } from '../../client/src/remit.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { isCanaryAccount, modes } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { closeAccount, createAccount, listAccounts } from '../../shared/domain/accounts/account-store.ts';
import { listKeys } from '../../shared/domain/accounts/key-store.ts';
import { parseCanaryConfig } from '../../shared/operations/canary/canary-config.ts';
import { type CanaryRun, runCanary } from '../../shared/operations/canary/run-canary.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { startCloudFormation, statefulOutputs } from '../support/cloudformation-server.ts';
import { type Outcome, run } from '../support/command-line.ts';
import { interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { type SecretsServer, startSecretsManager } from '../support/secrets-server.ts';
import { startTestStack } from '../support/stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const canarySecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:Secret-a1B2c3';
const deploymentSecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:DeploymentSecret-a1B2c3';
/** The value that CloudFormation generates. */
const generated = 'jv/:5s#TqM"x1';

let stack: Stack;
let account: TestAccount;
let secrets: SecretsServer;
let receiver: WebhookReceiver;
let functionUrl: { url: string; server: Server };
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
const environment = { ...process.env };
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  receiver = await startWebhookReceiver();
  functionUrl = await startFunctionUrl();
  const secret = await readFile(stack.deploymentSecretFile, 'utf8');
  secrets = await startSecretsManager({ [canarySecret]: generated, [deploymentSecret]: secret });
  cloudFormation = await startCloudFormation({
    'remit-prod-stateful': statefulOutputs(stack.tableName, deploymentSecret),
    'remit-prod-stateless': { ApiUrl: stack.baseUrl },
    'remit-prod-canary': { SecretArn: canarySecret, ReceiverUrl: functionUrl.url },
  });
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets.endpoint;
  process.env.CANARY_SECRET_ARN = canarySecret;
  process.env.CANARY_HOST = new URL(functionUrl.url).host;
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
  setClock();
});
afterAll(async () => {
  functionUrl.server.closeAllConnections();
  functionUrl.server.close();
  for (const name of ['AWS_ENDPOINT_URL_SECRETS_MANAGER', 'CANARY_SECRET_ARN', 'CANARY_HOST'])
    if (environment[name] === undefined) delete process.env[name];
  await Promise.all([cloudFormation.close(), secrets.close(), receiver.close()]);
  await stack.close();
});

/** Calls the receiving function with the request, as Lambda does at a function URL. */
async function receive(body: Buffer, headers: Record<string, string>): Promise<number> {
  const file = 'functions/canary/receive.ts';
  const handler = await loadHandler<object, LambdaFunctionURLResult>(file);
  const event = { headers, body: body.toString('base64'), isBase64Encoded: true };
  const result = await handler(event, lambdaContext(file, 10_000));
  return typeof result === 'object' ? Number(result.statusCode) : Number.NaN;
}

async function startFunctionUrl(): Promise<typeof functionUrl> {
  const server = createServer(async (request, response) => {
    const status = await receive(await buffer(request), request.headers as Record<string, string>);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

const clientOf = (apiKey = account.test.apiKey, baseUrl = stack.baseUrl, send = fetch) =>
  new Remit({ apiKey, baseUrl, maxRetries: 0, fetch: send });
const noLimit = new AbortController().signal;

/** Registers an endpoint for the canary's event. Returns its id and secret. */
async function newEndpoint(url: string): Promise<{ id: string; secret: string }> {
  return clientOf().webhooks.create({ url, events: ['invoice.paid'] });
}

const outcomes = ({ steps }: CanaryRun) => steps.map(({ step, outcome }) => `${step} ${outcome}`);
const failureOf = ({ steps }: CanaryRun) => steps.find(({ outcome }) => outcome === 'failed')?.error;
const allPassed = ['create passed', 'read passed', 'pay passed', 'deliver passed'];

describe('a run', () => {
  test('creates, retrieves and pays an invoice, and the webhook about it arrives with a valid signature', async () => {
    // The receiver verifies messages with the clock of the test.
    stopClock();
    const endpoint = await newEndpoint(receiver.urlOf('/canary'));
    receiver.trust('/canary', endpoint.secret);
    const result = await runCanary({ remit: clientOf(), webhookId: endpoint.id, signal: noLimit });
    expect(outcomes(result)).toEqual(allPassed);
    expect(result.succeeded).toBe(true);
    for (const { durationMs } of result.steps) expect(durationMs).toEqual(expect.any(Number));
    const [message, ...others] = receiver.receivedAt('/canary');
    expect(others).toEqual([]);
    expect(message?.verifiedBy).toEqual([0]);
    expect(JSON.parse(message?.body ?? '').data).toMatchObject({ id: result.invoiceId, status: 'paid' });
  });

  test('without an endpoint skips the webhook', async () => {
    const result = await runCanary({ remit: clientOf(), webhookId: undefined, signal: noLimit });
    expect(result.succeeded).toBe(true);
    expect(outcomes(result)).toEqual([...allPassed.slice(0, 3), 'deliver skipped']);
  });

  test('with a wrong key fails at the first step, and the error does not contain the key', async () => {
    const remit = clientOf('sk_test_wrong');
    const result = await runCanary({ remit, webhookId: undefined, signal: noLimit });
    expect(outcomes(result)).toEqual(['create failed', 'read skipped', 'pay skipped', 'deliver skipped']);
    expect(failureOf(result)).toMatch(/\(status 401, code invalid_api_key, requestId /);
    expect(JSON.stringify(result)).not.toContain('sk_test_wrong');
  });

  test('fails at the first step if the API does not respond', async () => {
    const remit = clientOf(undefined, 'http://127.0.0.1:9');
    const result = await runCanary({ remit, webhookId: undefined, signal: noLimit });
    expect(outcomes(result)).toContain('create failed');
    expect(failureOf(result)).toMatch(/^No valid response: /);
  });

  test('fails at the step that reads, if the invoice cannot be retrieved', async () => {
    const ofInvoice = ({ operation, body }: { operation: string; body: string }) =>
      /^(GetItem|Query)$/.test(operation) && body.includes('"inv_');
    const refuse = respondWithError('ResourceNotFoundException');
    const { remove } = interceptCalls((call, send) => (ofInvoice(call) ? refuse(call, send) : send()));
    cleanUp.push(remove);
    const result = await runCanary({ remit: clientOf(), webhookId: undefined, signal: noLimit });
    expect(outcomes(result)).toEqual(['create passed', 'read failed', 'pay skipped', 'deliver skipped']);
    expect(failureOf(result)).toContain('status 500, code internal_error');
  });

  test('fails at the step that pays, if the payment page does not exist', async () => {
    const { PAY_URL_BASE } = process.env;
    process.env.PAY_URL_BASE = `${stack.baseUrl}/elsewhere`;
    cleanUp.push(() => {
      process.env.PAY_URL_BASE = PAY_URL_BASE;
    });
    const result = await runCanary({ remit: clientOf(), webhookId: undefined, signal: noLimit });
    expect(outcomes(result)).toEqual(['create passed', 'read passed', 'pay failed', 'deliver skipped']);
    expect(failureOf(result)).toBe('The payment page returned 404.');
  });

  test('fails at the step that waits for the webhook, if no connection to the receiver is possible', async () => {
    const { id } = await newEndpoint('http://127.0.0.1:9/');
    // The time limit ends when the run has seen an attempt.
    const limit = new AbortController();
    let hasSeenAttempt = false;
    const remit = clientOf(undefined, undefined, async (...request) => {
      if (hasSeenAttempt) limit.abort();
      const response = await fetch(...request);
      hasSeenAttempt ||= (await response.clone().text()).includes('"attempts":[{');
      return response;
    });
    const result = await runCanary({ remit, webhookId: id, signal: limit.signal });
    expect(outcomes(result)).toEqual([...allPassed.slice(0, 3), 'deliver failed']);
    expect(failureOf(result)).toMatch(
      /^The webhook with the event evt_\w+ did not arrive in time\. Attempt \d: \w+\.$/,
    );
  });

  test('fails at its present step when its time limit ends', async () => {
    const signal = AbortSignal.abort();
    const result = await runCanary({ remit: clientOf(), webhookId: undefined, signal });
    expect(outcomes(result)).toContain('create failed');
    expect(failureOf(result)).toBe('The time limit of the run ended.');
  });

  test('fails at once if the receiver does not accept the signature twice', async () => {
    // As an account that registered the address before it belonged to the canary.
    const { CANARY_HOST } = process.env;
    cleanUp.push(() => Object.assign(process.env, { CANARY_HOST }));
    delete process.env.CANARY_HOST;
    const { id } = await newEndpoint(functionUrl.url);
    const result = await runCanary({ remit: clientOf(), webhookId: id, signal: noLimit });
    expect(outcomes(result)).toEqual([...allPassed.slice(0, 3), 'deliver failed']);
    expect(failureOf(result)).toBe('The receiver did not accept the webhook. Attempt 2: status 400.');
  });
});

const onStage = (...args: string[]): Promise<Outcome> =>
  run('canary', [...args, '--stage', 'prod', '--json'], {
    TABLE_NAME: undefined,
    DEPLOYMENT_SECRET_FILE: undefined,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
  });
const storedConfig = () => parseCanaryConfig(secrets.values.get(canarySecret) ?? '');

/** Expects that the canary's account has exactly the stored key and endpoint. */
async function expectOnlyStored(): Promise<void> {
  const config = storedConfig();
  if (!config) throw new Error('No configuration is stored.');
  const accounts = (await listAccounts()).filter(
    ({ accountId, closedAt }) => isCanaryAccount(accountId) && closedAt === undefined,
  );
  expect(accounts.map(({ accountId }) => accountId)).toEqual([config.accountId]);
  const keys = await Promise.all(modes.map((mode) => listKeys({ account: config.accountId, mode })));
  const usable = keys.flat().filter(({ revokedAt }) => revokedAt === undefined);
  expect(usable.map(({ keyId, mode }) => [keyId, mode])).toEqual([[config.keyId, 'test']]);
  const endpoints = (await clientOf(config.apiKey).webhooks.list()).data;
  expect(endpoints.map(({ id, url, events }) => [id, url, events])).toEqual([
    [config.webhookId, functionUrl.url, ['invoice.paid']],
  ]);
}

describe('npx remit canary', () => {
  test('run --stage says what to do before the canary is enabled', async () => {
    const { code, error } = await onStage('run');
    const message = 'The canary is not enabled yet. Run npx remit canary enable --stage prod.';
    expect([code, JSON.parse(error)]).toEqual([1, { code: 'command_failed', message }]);
  });

  test('enable does not take a merchant account that has the same name', async () => {
    const merchant = await createAccount({ name: 'Remit canary', plan: 'standard' });
    expect((await onStage('enable')).code).toBe(0);
    expect(storedConfig()?.accountId).not.toBe(merchant.accountId);
    // Its keys still work.
    for (const key of Object.values(merchant.keys)) await clientOf(key).invoices.list();
    await closeAccount(merchant.accountId, now());
    secrets.values.set(canarySecret, generated);
  });

  test('only the account of the canary may send webhooks to it, in the creation, a change and each attempt', async () => {
    const { host, origin } = new URL(functionUrl.url);
    const remit = clientOf();
    const enabled = await remit.webhooks.create({ url: receiver.urlOf('/other'), events: ['*'] });
    for (const url of [functionUrl.url, `${origin}/other`]) {
      await expect(remit.webhooks.create({ url, events: ['*'] })).rejects.toThrow('this service itself');
      await expect(remit.webhooks.update(enabled.id, { url })).rejects.toThrow('this service itself');
    }
    delete process.env.CANARY_HOST;
    const { id } = await remit.webhooks.create({ url: functionUrl.url, events: ['*'] });
    process.env.CANARY_HOST = host;
    expect(await remit.webhooks.test(id)).toMatchObject({ succeeded: false, error: 'address_not_allowed' });
  });

  test('enable that is interrupted before it stores the key leaves nothing behind after the next one', async () => {
    secrets.failWrites(2);
    for (const _ of [1, 2]) expect((await onStage('enable')).code).toBe(1);
    expect(storedConfig()).toBeUndefined();
    expect(await onStage('enable')).toMatchObject({ code: 0 });
    await expectOnlyStored();
  });

  test('enable replaces the key and the endpoint, and prints neither key nor secret', async () => {
    const before = storedConfig();
    const { code, out, error } = await onStage('enable');
    expect(code).toBe(0);
    await expectOnlyStored();
    const after = storedConfig();
    expect(after?.accountId).toBe(before?.accountId);
    for (const name of ['keyId', 'apiKey', 'webhookId', 'webhookSecret'] as const)
      expect(after?.[name]).not.toBe(before?.[name]);
    expect(out + error).not.toMatch(/sk_test_|whsec_/);
    expect(JSON.parse(out)).toEqual({
      accountId: after?.accountId,
      keyId: after?.keyId,
      webhookId: after?.webhookId,
    });
  });

  test('run --stage uses the deployed receiver', async () => {
    const { code, out, error } = await onStage('run');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(outcomes(JSON.parse(out))).toEqual(allPassed);
  });

  test('run receives the webhook itself if the service is on this machine, and removes its endpoint', async () => {
    const service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: account.test.apiKey };
    const { code, out } = await run('canary', ['run'], service);
    expect(code).toBe(0);
    for (const step of ['create', 'read', 'pay', 'deliver'])
      expect(out).toMatch(new RegExp(`${step} +passed +\\d+ ms`));
    expect(out).toContain('The canary succeeded.\n');
    expect((await clientOf().webhooks.list()).data).toEqual([]);
  });

  test.each([
    [
      'a wrong key',
      () => ({ REMIT_URL: stack.baseUrl, REMIT_API_KEY: 'sk_test_wrong' }),
      1,
      /create +failed.*401/,
    ],
    [
      'an address without a service',
      () => ({ REMIT_URL: 'http://127.0.0.1:9', REMIT_API_KEY: 'sk_test_wrong' }),
      1,
      /create +failed.*No valid response/,
    ],
  ])('run with %s shows the failed step and exits with 1', async (_, service, expected, text) => {
    const { code, out } = await run('canary', ['run'], service());
    expect(code).toBe(expected);
    expect(out).toMatch(text);
    expect(out).toContain('The canary failed at the step create.');
  });

  test('run refuses a live key, and enable needs a stage', async () => {
    const service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: account.live.apiKey };
    expect(await run('canary', ['run'], service)).toMatchObject({
      code: 2,
      error: expect.stringContaining('This is a live key.'),
    });
    expect(await run('canary', ['enable'])).toMatchObject({
      code: 2,
      error: expect.stringContaining('--stage is required.'),
    });
  });
});

describe('the receiving function', () => {
  const forged = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };

  test('refuses forged requests, and they make it read the secret at most every three seconds', async () => {
    const clock = stopClock();
    clock.advance(120_000);
    await receive(Buffer.from('{}'), forged);
    secrets.reads.length = 0;
    for (let count = 0; count < 5; count += 1) {
      expect(await receive(Buffer.from('{}'), forged)).toBe(400);
      expect(await receive(Buffer.alloc(0), {})).toBe(400);
    }
    expect(secrets.reads).toEqual([]);
    clock.advance(3_000);
    expect(await receive(Buffer.from('{}'), forged)).toBe(400);
    expect(secrets.reads).toEqual([canarySecret]);
  });
});

test('the scheduled function does nothing before the canary is enabled', async () => {
  const file = 'functions/canary/run.ts';
  const handler = await loadHandler<object, void>(file);
  const config = secrets.values.get(canarySecret) ?? '';
  cleanUp.push(() => secrets.values.set(canarySecret, config));
  secrets.values.set(canarySecret, generated);
  await handler({}, lambdaContext(file, 60_000));
  const list = await clientOf(parseCanaryConfig(config)?.apiKey).invoices.list();
  const before = list.pagination.total;
  secrets.values.set(canarySecret, config);
  await handler({}, lambdaContext(file, 60_000));
  const after = await clientOf(parseCanaryConfig(config)?.apiKey).invoices.list({ status: 'paid' });
  expect(after.pagination.total).toBe(before + 1);
});
