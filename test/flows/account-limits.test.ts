/** Tests that `npm run deploy` reads the limits of the account, and says what to do before CloudFormation fails. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkLimits } from '../../cli/account-limits.ts';
import { parseSettings } from '../../infra/settings.ts';
import { errorOutputOf, useAwsServers } from '../support/aws-servers.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';

let lambda: LoopbackServer;
let cloudFormation: LoopbackServer;
let restoreEnvironment: () => void;
let answer: { status: number; body: unknown };
let request: { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders };
const gigabyte = 1024 ** 3;

beforeAll(async () => {
  lambda = await listenOnLoopback(
    createServer(({ method, url, headers }, response) => {
      request = { method, url, headers };
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    }),
  );
  cloudFormation = await startCloudFormation({ 'remit-prod-stateless': { Version: '1' } });
  restoreEnvironment = useAwsServers({
    LAMBDA: lambda.endpoint,
    CLOUDFORMATION: cloudFormation.endpoint,
    API_GATEWAY: cloudFormation.endpoint,
  });
});
afterAll(async () => {
  restoreEnvironment();
  await Promise.all([lambda.close(), cloudFormation.close()]);
});

/** Sets what Lambda answers. The numbers are executions and bytes. */
function allow(concurrent: number, unreserved = concurrent, usedBytes = 0): void {
  const AccountLimit = {
    ConcurrentExecutions: concurrent,
    UnreservedConcurrentExecutions: unreserved,
    TotalCodeSize: 75 * gigabyte,
  };
  answer = { status: 200, body: { AccountLimit, AccountUsage: { TotalCodeSize: usedBytes } } };
}
const check = (context: Record<string, unknown>) => checkLimits(parseSettings(context));

test('Lambda is asked with a signed request, and the limits are printed', async () => {
  allow(1_000);
  expect(await errorOutputOf(() => check({ stage: 'dev', canary: true }))).toBe(
    'Limits of Lambda in this account and region: 1000 concurrent executions, 1000 of them not reserved.\n',
  );
  expect([request.method, request.url]).toEqual(['GET', '/2016-08-19/account-settings/']);
  expect(request.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[a-z0-9-]+\/lambda\/aws4_request, SignedHeaders=host;/,
  );
});

test('a new account is stopped, and told the setting and how to ask for more', async () => {
  allow(10);
  await expect(check({ stage: 'dev' })).rejects.toThrow(
    /^The settings expect 1000 concurrent executions, but this account allows 10 .* Add --concurrency 10\. .* --quota-code L-B99A9384 --desired-value 1000$/,
  );
  await check({ stage: 'dev', concurrency: '10' });
});

test('executions that other functions reserve stop the first deployment, and no later one', async () => {
  allow(1_000, 150);
  await expect(check({ stage: 'dev' })).rejects.toThrow(
    /^Other functions reserve executions, so 150 are left, .* needs 2\d\d\. Add --concurrency 150\./,
  );
  await check({ stage: 'dev', concurrency: '150' });
  await check({ stage: 'prod' });
});

test('storage for code that is nearly used up is a warning', async () => {
  allow(1_000, 1_000, 74.5 * gigabyte);
  expect(await errorOutputOf(() => check({ stage: 'dev' }))).toContain('Warning: only 0.5 GB are free');
});

test('without an answer there is a warning, and an emulator is not asked', async () => {
  answer = { status: 403, body: { message: 'no' } };
  expect(await errorOutputOf(() => check({ stage: 'dev' }))).toMatch(
    /^Warning: .* may not call lambda:GetAccountSettings\. .*--concurrency 10\.\n$/,
  );
  answer = { status: 404, body: {} };
  expect(await errorOutputOf(() => check({ stage: 'dev' }))).toContain('answered with status 404');
  const emulatorEndpoint = 'http://127.0.0.1:4566';
  expect(await errorOutputOf(() => check({ stage: 'dev', emulatorEndpoint }))).toBe('');
});
