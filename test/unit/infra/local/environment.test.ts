/** Tests which environment variables the local stack reads and sets. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  configuredEndpoint,
  configuredPort,
  setLocalCredentials,
} from '../../../../infra/local/environment.ts';
import { isLoopback } from '../../../../infra/loopback.ts';

let before: NodeJS.ProcessEnv;
beforeEach(() => {
  before = { ...process.env };
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
});

test.each([
  ['http://127.0.0.1:8000', true],
  ['http://127.9.9.9:8000', true],
  ['http://localhost:4566', true],
  ['http://[::1]:4566', true],
  ['https://dynamodb.eu-west-1.amazonaws.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://10.0.0.1:8000', false],
])('%s is on this machine: %s', (endpoint, expected) => {
  expect(isLoopback(endpoint)).toBe(expected);
});

test('dummy credentials replace all others if every endpoint is local', () => {
  Object.assign(process.env, { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'real', AWS_SESSION_TOKEN: 'real' });
  setLocalCredentials(['http://127.0.0.1:1', 'https://sqs.eu-west-1.amazonaws.com']);
  expect(process.env).toMatchObject({ AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'real' });
  setLocalCredentials(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
  expect(process.env).toMatchObject({ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  expect([process.env.AWS_PROFILE, process.env.AWS_SESSION_TOKEN]).toEqual([undefined, undefined]);
});

test('a configured endpoint is used without its trailing slash', () => {
  delete process.env.AWS_ENDPOINT_URL_SQS;
  expect(configuredEndpoint('SQS')).toBeUndefined();
  process.env.AWS_ENDPOINT_URL_SQS = 'http://127.0.0.1:9324/';
  expect(configuredEndpoint('SQS')).toBe('http://127.0.0.1:9324');
  process.env.AWS_ENDPOINT_URL_SQS = 'localhost:9324';
  expect(() => configuredEndpoint('SQS')).toThrow('AWS_ENDPOINT_URL_SQS is not a URL');
});

test.each(['abc', '-1', '65536', '1e3', '80.5'])('PORT=%s is rejected', (port) => {
  process.env.PORT = port;
  expect(() => configuredPort(3000)).toThrow('Set it to a number from 0 to 65535');
});

test('PORT replaces the default', () => {
  delete process.env.PORT;
  expect(configuredPort(3000)).toBe(3000);
  process.env.PORT = '0';
  expect(configuredPort(3000)).toBe(0);
});
