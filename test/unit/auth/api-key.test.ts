/** Tests API keys: their form, their versions, their randomness, and that forged keys are rejected. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Owner } from '../../../shared/base/ids.ts';
import { hashApiKey, newApiKey, parseApiKey } from '../../../shared/domain/auth/api-key.ts';

const owner: Owner = { account: 'acct_0123456789abcdef', mode: 'test' };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-key-'));
  process.env.DEPLOYMENT_SECRET_FILE = join(directory, 'secret.json');
  await writeFile(process.env.DEPLOYMENT_SECRET_FILE, JSON.stringify({ current: '1', 1: 'secret' }));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('a key has its mode, 160 random bits and a 30-bit check, and names its owner', async () => {
  for (const mode of ['test', 'live'] as const) {
    const value = await newApiKey({ ...owner, mode });
    expect(value).toMatch(new RegExp(`^sk_${mode}_1[0-9a-hjkmnp-tv-z]{${16 + 32 + 6}}$`));
    expect(await parseApiKey(value)).toEqual({ owner: { ...owner, mode }, keyHash: hashApiKey(value) });
  }
});

test('no two keys of an account have the same random part', async () => {
  const values = await Promise.all(Array.from({ length: 200 }, () => newApiKey(owner)));
  expect(new Set(values.map((value) => value.slice(25, 57))).size).toBe(200);
});

test('a key with one character changed, added or removed is not valid', async () => {
  const value = await newApiKey(owner);
  const others = [...value].flatMap((character, index) => [
    value.slice(0, index) + (character === 'q' ? 'r' : 'q') + value.slice(index + 1),
    value.slice(0, index) + value.slice(index + 1),
    `${value.slice(0, index)}0${value.slice(index)}`,
  ]);
  const parsed = await Promise.all(others.map(parseApiKey));
  expect(parsed.filter((apiKey) => apiKey !== undefined)).toEqual([]);
});

test('a key of one mode or account cannot be changed into a key of another', async () => {
  const value = await newApiKey(owner);
  expect(await parseApiKey(value.replace('sk_test_', 'sk_live_'))).toBeUndefined();
  expect(await parseApiKey(value.replace('0123456789abcdef', 'fedcba9876543210'))).toBeUndefined();
});

/** Imports the module again, like a new instance of a function, with the versions of a deployment secret. */
async function newInstance(current: number, versions: readonly number[]) {
  const secret = Object.fromEntries(versions.map((version) => [version, `secret ${version}`]));
  await writeFile(join(directory, 'secret.json'), JSON.stringify({ current: String(current), ...secret }));
  jest.resetModules();
  return import('../../../shared/domain/auth/api-key.ts');
}

test('a key of any version from 1 to 99999 is valid, and names its version before the parts of fixed length', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 99_999 }), async (version) => {
      const instance = await newInstance(version, [1, version]);
      const value = await instance.newApiKey(owner);
      expect(value.slice(0, -54)).toBe(`sk_test_${version}`);
      expect(await instance.parseApiKey(value)).toEqual({ owner, keyHash: hashApiKey(value) });
      const locatorLost = value.replace(`${version}0123456789abcdef`, `${version}123456789abcdef`);
      expect(await instance.parseApiKey(locatorLost)).toBeUndefined();
    }),
    { numRuns: 50, examples: [[1], [9], [10], [99], [100], [9_999], [10_000], [99_999]] },
  );
});

test('a key cannot be changed into a key of a version that begins or ends with the same digits', async () => {
  const versions = Array.from({ length: 120 }, (_, index) => index + 1);
  for (const current of [1, 11, 111]) {
    const { newApiKey, parseApiKey } = await newInstance(current, versions);
    const rest = (await newApiKey(owner)).slice(-54);
    const valid = await Promise.all(
      versions.map(async (version) => (await parseApiKey(`sk_test_${version}${rest}`)) && version),
    );
    expect(valid.filter(Boolean)).toEqual([current]);
  }
});

test.each(['0', '01', '1000000', '-1', '1.5', 'v2', '२'])(
  'no key is created under the version %j, which keys cannot carry',
  async (version) => {
    const secret = { current: version, 1: 'secret', [version]: 'another secret' };
    await writeFile(join(directory, 'secret.json'), JSON.stringify(secret));
    jest.resetModules();
    const { newApiKey } = await import('../../../shared/domain/auth/api-key.ts');
    await expect(newApiKey(owner)).rejects.toThrow('whole number from 1 to 999999');
  },
);

test.each([
  '',
  'sk_test_',
  'sk_test_1',
  'SK_TEST_1',
  `sk_test_0${'0'.repeat(54)}`,
  `sk_test_01${'0'.repeat(54)}`,
  `sk_test_1000000${'0'.repeat(54)}`,
  '\0',
  'x'.repeat(100_000),
])('a text that does not have the form of a key is not a key (%#)', async (text) => {
  expect(await parseApiKey(text)).toBeUndefined();
});

test('case, surrounding white space and line breaks make a key invalid', async () => {
  const value = await newApiKey(owner);
  for (const other of [value.toUpperCase(), ` ${value}`, `${value} `, `${value}\n`]) {
    expect(await parseApiKey(other)).toBeUndefined();
  }
});
