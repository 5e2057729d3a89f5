import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimOf, hashOfKey, newApiKey } from '../../../shared/admission/api-key.ts';
import type { Owner } from '../../../shared/ids.ts';

const owner: Owner = { account: 'acct_0123456789abcdef', mode: 'test' };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-key-'));
  process.env.DEPLOYMENT_SECRET_FILE = join(directory, 'secret.json');
  await writeFile(process.env.DEPLOYMENT_SECRET_FILE, JSON.stringify({ current: '1', 1: 'secret' }));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('a key shows its mode, bears 160 random bits and 30 bits of check, and says whose it is', async () => {
  for (const mode of ['test', 'live'] as const) {
    const value = await newApiKey({ ...owner, mode });
    expect(value).toMatch(new RegExp(`^sk_${mode}_1[0-9a-hjkmnp-tv-z]{${16 + 32 + 6}}$`));
    expect(await claimOf(value)).toEqual({ owner: { ...owner, mode }, keyHash: hashOfKey(value) });
  }
});

test('no two keys of an account are alike, nor do they share their random part', async () => {
  const values = await Promise.all(Array.from({ length: 200 }, () => newApiKey(owner)));
  expect(new Set(values.map((value) => value.slice(25, 57))).size).toBe(200);
});

test('a key with any one character changed, added or left out is no key', async () => {
  const value = await newApiKey(owner);
  const others = [...value].flatMap((character, index) => [
    value.slice(0, index) + (character === 'q' ? 'r' : 'q') + value.slice(index + 1),
    value.slice(0, index) + value.slice(index + 1),
    `${value.slice(0, index)}0${value.slice(index)}`,
  ]);
  const claims = await Promise.all(others.map(claimOf));
  expect(claims.filter((claim) => claim !== undefined)).toEqual([]);
});

test('a key of one mode or account cannot be made into one of another', async () => {
  const value = await newApiKey(owner);
  expect(await claimOf(value.replace('sk_test_', 'sk_live_'))).toBeUndefined();
  expect(await claimOf(value.replace('0123456789abcdef', 'fedcba9876543210'))).toBeUndefined();
});

test.each([
  '',
  'sk_test_',
  'sk_test_1',
  'SK_TEST_1',
  `sk_test_0${'0'.repeat(54)}`,
  '\0',
  'x'.repeat(100_000),
])('what has not the form of a key claims nothing (%#)', async (text) => {
  expect(await claimOf(text)).toBeUndefined();
});

test('case, surrounding white space and line ends matter', async () => {
  const value = await newApiKey(owner);
  for (const other of [value.toUpperCase(), ` ${value}`, `${value} `, `${value}\n`]) {
    expect(await claimOf(other)).toBeUndefined();
  }
});
