/** Tests `npm run deploy:emulator`: which endpoints it accepts, and which environment variables it uses. */
import { execFile } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { buildEmulatorEnvironment, readEmulatorEndpoint } from '../../cli/emulator.ts';

test.each([
  ['http://127.0.0.1:4566', 'http://127.0.0.1:4566'],
  ['http://127.0.0.1:4566/', 'http://127.0.0.1:4566'],
  ['https://127.9.8.7', 'https://127.9.8.7'],
  ['http://0x7f.1:80', 'http://127.0.0.1'],
  ['http://[::1]:4566', 'http://[::1]:4566'],
  ['http://localhost:4566', 'http://127.0.0.1:4566'],
  ['http://LOCALHOST', 'http://127.0.0.1'],
])('the endpoint %s is on this machine', (given, endpoint) => {
  expect(readEmulatorEndpoint({ AWS_ENDPOINT_URL: given })).toBe(endpoint);
});

test.each([
  undefined,
  '',
  '127.0.0.1:4566',
  'localhost:4566',
  'ftp://127.0.0.1',
  'http://127.0.0.1:4566/aws',
  'https://dynamodb.us-east-1.amazonaws.com',
  'http://127.0.0.1@example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://emulator.localhost:4566',
  'http://localhost.localstack.cloud:4566',
  'http://host.docker.internal:4566',
  'http://0.0.0.0:4566',
  'http://10.0.0.1:4566',
  'http://169.254.169.254',
  'http://128.0.0.1',
  'http://[::]:4566',
  'http://[::ffff:127.0.0.1]:4566',
])('the endpoint %s is rejected', (given) => {
  expect(() => readEmulatorEndpoint({ AWS_ENDPOINT_URL: given })).toThrow(/AWS_ENDPOINT_URL/);
});

test('profiles, sessions, proxies and service endpoints of the environment are dropped', () => {
  const endpoint = 'http://127.0.0.1:4566';
  const environment = buildEmulatorEnvironment(endpoint, {
    PATH: '/bin',
    AWS_CA_BUNDLE: '/emulator.pem',
    HTTPS_PROXY: 'http://proxy.example.com',
    http_proxy: 'http://proxy.example.com',
    AWS_PROFILE: 'production',
    AWS_SESSION_TOKEN: 'token',
    AWS_ENDPOINT_URL_S3: 'https://s3.amazonaws.com',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    AWS_DEFAULT_REGION: 'eu-west-1',
  });
  expect(environment).toEqual({
    PATH: '/bin',
    AWS_CA_BUNDLE: '/emulator.pem',
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-west-1',
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
});

test('credentials of the environment are used only if they are complete', () => {
  const given = { AWS_ACCESS_KEY_ID: '111111111111', AWS_SECRET_ACCESS_KEY: 'x' };
  expect(buildEmulatorEnvironment('http://127.0.0.1', given)).toMatchObject(given);
  const { AWS_ACCESS_KEY_ID } = buildEmulatorEnvironment('http://127.0.0.1', { AWS_ACCESS_KEY_ID: 'AKIA' });
  expect(AWS_ACCESS_KEY_ID).toBe('test');
});

test('the command exits immediately with an error if the endpoint is not on this machine', async () => {
  const env = { ...process.env, AWS_ENDPOINT_URL: 'https://sts.us-east-1.amazonaws.com' };
  const outcome = await new Promise((resolve) => {
    execFile(process.execPath, ['cli/deploy-emulator.ts'], { env }, (failure, out, error) =>
      resolve({ code: failure?.code, out, error }),
    );
  });
  expect(outcome).toEqual({ code: 2, out: '', error: expect.stringContaining('not this machine') });
});
