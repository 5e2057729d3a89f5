import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Exchange } from '../../../shared/http/exchange.ts';
import type { Owner } from '../../../shared/ids.ts';

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

/** A function's instance of its own, which has loaded nothing yet. */
async function newInstance() {
  jest.resetModules();
  const { setClock } = await import('../../../shared/time.ts');
  setClock(() => time);
  const apiKey = await import('../../../shared/admission/api-key.ts');
  const secret = await import('../../../shared/secrets/deployment-secret.ts');
  const { requestKeyOf } = await import('../../../shared/idempotency/request-key.ts');
  const request = (body: unknown) =>
    requestKeyOf({ method: 'POST', path: '/api/invoices', query: {}, body } as Exchange, owner, 'key');
  return { ...apiKey, ...secret, request };
}

test('after a rotation old API keys are still good, and new ones bear the new version', async () => {
  const old = await (await newInstance()).newApiKey(owner);
  await rotate();
  const instance = await newInstance();
  const fresh = await instance.newApiKey(owner);
  expect([old, fresh].map((value) => value['sk_test_'.length])).toEqual(['1', '2']);
  for (const value of [old, fresh]) {
    expect(await instance.claimOf(value)).toEqual({ owner, keyHash: instance.hashOfKey(value) });
  }
});

test('after a rotation a repetition is still recognised, and a different request still is none', async () => {
  const { fingerprint } = await (await newInstance()).request({ amount: 1 });
  await rotate();
  const instance = await newInstance();
  const again = await instance.request({ amount: 1 });
  expect([fingerprint, again.fingerprint].map((text) => text.split(':')[0])).toEqual(['1', '2']);
  expect(await again.matches(fingerprint)).toBe(true);
  expect(await (await instance.request({ amount: 2 })).matches(fingerprint)).toBe(false);
});

test('hashes in the table never change, not even by a rotation', async () => {
  const before = await (await newInstance()).tableHash('customer', 'a@example.com');
  await rotate();
  const { tableHash } = await newInstance();
  expect(await tableHash('customer', 'a@example.com')).toBe(before);
  expect(await tableHash('source', 'a@example.com')).not.toBe(before);
});

test('a version cannot be passed off as another one', async () => {
  await rotate();
  const { newApiKey, claimOf } = await newInstance();
  const value = await newApiKey(owner);
  expect(await claimOf(value.replace('sk_test_2', 'sk_test_1'))).toBeUndefined();
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

test('an instance that runs already learns a new version from the first key that bears it, for all at once', async () => {
  const running = await newInstance();
  await running.newApiKey(owner);
  await rotate();
  const values = await Promise.all(
    Array.from({ length: 10 }, (await newInstance()).newApiKey.bind(0, owner)),
  );
  time += 60_000;
  const claims = await Promise.all(values.map(running.claimOf));
  expect(claims.map((claim) => claim?.owner)).toEqual(Array(10).fill(owner));
});

test('a forged key of a version to come does not keep an instance from learning that version', async () => {
  const running = await newInstance();
  const forged = (await running.newApiKey(owner)).replace('sk_test_1', 'sk_test_2');
  time += 60_000;
  expect(await running.claimOf(forged)).toBeUndefined();
  await rotate();
  const genuine = await (await newInstance()).newApiKey(owner);
  time += 60_000;
  expect(await running.claimOf(genuine)).toMatchObject({ owner });
  expect(await running.claimOf(forged)).toBeUndefined();
});

test('a reload that fails leaves the instance with what it knows', async () => {
  const running = await newInstance();
  const value = await running.newApiKey(owner);
  await rm(file);
  time += 60_000;
  const unknown = running.claimOf(value.replace('sk_test_1', 'sk_test_2')).catch(() => undefined);
  expect(await unknown).toBeUndefined();
  expect(await running.claimOf(value)).toMatchObject({ owner });
});

test('a first read that fails is not remembered', async () => {
  const instance = await newInstance();
  await rm(file);
  await expect(instance.newApiKey(owner)).rejects.toThrow();
  await write({ current: '1', ...first });
  expect(await instance.newApiKey(owner)).toMatch(/^sk_test_1/);
});

test.each([{}, { current: '2', ...first }, { current: '2', 2: 'without the first' }])(
  'a secret that lacks its current or its first version is refused: %j',
  async (secret) => {
    await write(secret);
    await expect((await newInstance()).newApiKey(owner)).rejects.toThrow('deployment secret');
  },
);
