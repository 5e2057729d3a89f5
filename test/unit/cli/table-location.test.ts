/** Tests how the commands find the region or the endpoint of a table. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { findTableLocation } from '../../../cli/table-location.ts';

const saved = { ...process.env };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-aws-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  process.env.AWS_CONFIG_FILE = '/dev/null';
  process.env.AWS_SHARED_CREDENTIALS_FILE = '/dev/null';
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
});

const endpoint = 'http://127.0.0.1:8000';

test.each([
  ['the region', { AWS_REGION: 'eu-west-1' }, 'in eu-west-1'],
  ['the endpoint', { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: endpoint }, `at ${endpoint}`],
  ['the endpoint of DynamoDB', { AWS_ENDPOINT_URL_DYNAMODB: endpoint }, `at ${endpoint}`],
  [
    'the region if endpoints are ignored',
    {
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    },
    'in eu-west-1',
  ],
])('the location is %s', async (_, variables, location) => {
  Object.assign(process.env, variables);
  expect(await findTableLocation()).toBe(location);
});

test('the location is the region of the selected profile', async () => {
  const file = join(directory, 'config');
  await writeFile(file, '[profile remit-test]\nregion = ap-south-1\n');
  Object.assign(process.env, { AWS_CONFIG_FILE: file, AWS_PROFILE: 'remit-test' });
  expect(await findTableLocation()).toBe('in ap-south-1');
});

test('without a region and an endpoint, the location is an error', async () => {
  await expect(findTableLocation()).rejects.toThrow('Region is missing');
});
