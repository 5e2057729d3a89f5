/** Tests the deployment secret: rotation, reloading, and the separation of derived keys. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { createInvoice } from '../../../shared/api/routes.ts';
import type { Owner } from '../../../shared/base/ids.ts';

const owner: Owner = { account: 'acct_0123456789abcdef', mode: 'test' };
const first = { 1: 'a first secret' };
const rotated = { ...first, 2: 'a second secret' };
let directory: string;
let file: string;
let time = Date.now();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-secret-'));
  file = join(directory, 'secret.json');
  process.env.DEPLOYMENT_SECRET_FILE = file;
});
beforeEach(() => write({ current: '1', ...first }));
afterAll(() => rm(directory, { recursive: true, force: true }));

const write = (secret: object) => writeFile(file, JSON.stringify(secret));
const rotate = () => write({ current: '2', ...rotated });

/** Imports the modules again, like a new instance of a function that has not read the secret yet. */
async function newInstance() {
  jest.resetModules();
  const { clock } = await import('../../../shared/base/time.ts');
  clock.read = () => time;
  const apiKey = await import('../../../shared/domain/auth/api-key.ts');
  const secret = await import('../../../shared/platform/secrets/deployment-secret.ts');
  const { requestKeyOf } = await import('../../../shared/api/http/request-key.ts');
  const request = (body: unknown) =>
    requestKeyOf(createInvoice, { httpMethod: 'POST', path: '/api/invoices', body } as never, owner, 'key', {
      caller: undefined,
      sealing: undefined,
    });
  return { ...apiKey, ...secret, request };
}

test('after a rotation, old API keys are still valid, and new ones have the new version', async () => {
  const old = await (await newInstance()).newApiKey(owner);
  await rotate();
  const instance = await newInstance();
  const fresh = await instance.newApiKey(owner);
  expect([old, fresh].map((value) => value['sk_test_'.length])).toEqual(['1', '2']);
  for (const value of [old, fresh]) {
    expect(await instance.parseApiKey(value)).toEqual({ owner, keyHash: instance.hashApiKey(value) });
  }
});

test('after a rotation, a repeated request is still recognized, and a different one is still different', async () => {
  const { fingerprint } = await (await newInstance()).request({ amount: 1 });
  await rotate();
  const instance = await newInstance();
  const again = await instance.request({ amount: 1 });
  expect([fingerprint, again.fingerprint].map((text) => text.split(':')[0])).toEqual(['1', '2']);
  expect(await again.matches(fingerprint)).toBe(true);
  expect(await (await instance.request({ amount: 2 })).matches(fingerprint)).toBe(false);
});

test('after 12 rotations, the keys and fingerprints of every version are still valid', async () => {
  const secret: Record<string, string> = { ...first };
  const made: { apiKey: string; fingerprint: string }[] = [];
  const make = async () => {
    const { newApiKey, request } = await newInstance();
    const { fingerprint } = await request({ amount: 1 });
    made.push({ apiKey: await newApiKey(owner), fingerprint });
  };
  await make();
  for (let version = 2; version <= 13; version++) {
    secret[version] = `secret ${version}`;
    await write({ current: String(version), ...secret });
    await make();
  }
  const { newApiKey, parseApiKey, hashApiKey, request } = await newInstance();
  const again = await request({ amount: 1 });
  const other = await request({ amount: 2 });
  for (const [index, { apiKey, fingerprint }] of made.entries()) {
    expect(apiKey.slice(0, -54)).toBe(`sk_test_${index + 1}`);
    expect(await parseApiKey(apiKey)).toEqual({ owner, keyHash: hashApiKey(apiKey) });
    expect(fingerprint.split(':')[0]).toBe(String(index + 1));
    expect([await again.matches(fingerprint), await other.matches(fingerprint)]).toEqual([true, false]);
  }
  expect(await newApiKey(owner)).toMatch(/^sk_test_13\w{54}$/);
});

test('a running instance reads a version of two digits when the first key with that version arrives', async () => {
  const running = await newInstance();
  await running.newApiKey(owner);
  await write({ current: '10', ...rotated, 10: 'a tenth secret' });
  const value = await (await newInstance()).newApiKey(owner);
  time += 60_000;
  expect(await running.parseApiKey(value)).toMatchObject({ owner });
});

test('a rotation does not change the hashes in the table', async () => {
  const before = await (await newInstance()).tableHash('customer', 'a@example.com');
  await rotate();
  const { tableHash } = await newInstance();
  expect(await tableHash('customer', 'a@example.com')).toBe(before);
  expect(await tableHash('source', 'a@example.com')).not.toBe(before);
});

test('an API key with another version is not valid', async () => {
  await rotate();
  const { newApiKey, parseApiKey } = await newInstance();
  const value = await newApiKey(owner);
  expect(await parseApiKey(value.replace('sk_test_2', 'sk_test_1'))).toBeUndefined();
});

test('subkeys of different purposes and versions differ', async () => {
  await rotate();
  const { hmacVersion } = await newInstance();
  const purposes = ['key-check', 'fingerprint', 'table-hash'] as const;
  const digests = await Promise.all(
    purposes.flatMap((purpose) => ['1', '2'].map((version) => hmacVersion(purpose, version, 'text'))),
  );
  expect(new Set(digests.map((digest) => digest?.toString('hex'))).size).toBe(6);
});

test('a running instance reads a new version when the first keys with that version arrive', async () => {
  const running = await newInstance();
  await running.newApiKey(owner);
  await rotate();
  const values = await Promise.all(
    Array.from({ length: 10 }, (await newInstance()).newApiKey.bind(0, owner)),
  );
  time += 60_000;
  const parsed = await Promise.all(values.map(running.parseApiKey));
  expect(parsed.map((apiKey) => apiKey?.owner)).toEqual(Array(10).fill(owner));
});

test('a forged key with a future version does not prevent an instance from reading that version later', async () => {
  const running = await newInstance();
  const forged = (await running.newApiKey(owner)).replace('sk_test_1', 'sk_test_2');
  time += 60_000;
  expect(await running.parseApiKey(forged)).toBeUndefined();
  await rotate();
  const genuine = await (await newInstance()).newApiKey(owner);
  time += 60_000;
  expect(await running.parseApiKey(genuine)).toMatchObject({ owner });
  expect(await running.parseApiKey(forged)).toBeUndefined();
});

test('after a failed reload, an instance continues with the versions that it has', async () => {
  const running = await newInstance();
  const value = await running.newApiKey(owner);
  await rm(file);
  time += 60_000;
  const unknown = running.parseApiKey(value.replace('sk_test_1', 'sk_test_2')).catch(() => undefined);
  expect(await unknown).toBeUndefined();
  expect(await running.parseApiKey(value)).toMatchObject({ owner });
});

test('after a failed first read, the next call reads the secret again', async () => {
  const instance = await newInstance();
  await rm(file);
  await expect(instance.newApiKey(owner)).rejects.toThrow();
  await write({ current: '1', ...first });
  expect(await instance.newApiKey(owner)).toMatch(/^sk_test_1/);
});

test.each([{}, { current: '2', ...first }, { current: '2', 2: 'without the first' }])(
  'a secret without its current or its first version is rejected: %j',
  async (secret) => {
    await write(secret);
    await expect((await newInstance()).newApiKey(owner)).rejects.toThrow(/secret must/);
  },
);
