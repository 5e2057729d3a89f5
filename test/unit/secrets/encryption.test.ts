/** What is encrypted in the table: read again by who may, at its own place, whatever version of the secret made it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';

const first = { 1: 'a first secret' };
let directory: string;
let file: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-encryption-'));
  file = join(directory, 'secret.json');
  process.env.DEPLOYMENT_SECRET_FILE = file;
});
beforeEach(() => write({ current: '1', ...first }));
afterAll(() => rm(directory, { recursive: true, force: true }));

const write = (secret: object) => writeFile(file, JSON.stringify(secret));

/** A function's instance of its own, which has loaded nothing yet. */
async function newInstance() {
  jest.resetModules();
  return import('../../../shared/secrets/encryption.ts');
}

const place = 'wh_1';
const text = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('any text comes back as it was, at its place', async () => {
  const { encrypt, decrypt } = await newInstance();
  const anyText = fc.string({ unit: 'binary', maxLength: 300 }).filter((each) => each.isWellFormed());
  await fc.assert(
    fc.asyncProperty(anyText, fc.string(), async (each, at) => {
      const ciphertext = await encrypt(each, at);
      expect(ciphertext).toMatch(/^1:[\w-]{38,}$/);
      expect(await decrypt(ciphertext, at)).toBe(each);
    }),
  );
});

test('the same text is never encrypted alike, and nothing of it shows', async () => {
  const { encrypt } = await newInstance();
  const ciphertexts = await Promise.all(Array.from({ length: 200 }, () => encrypt(text, place)));
  expect(new Set(ciphertexts.map((each) => each.slice(0, 18))).size).toBe(200);
  for (const each of ciphertexts) {
    const bytes = Buffer.from(each.slice(2), 'base64url');
    expect(bytes).toHaveLength(12 + text.length + 16);
    expect(bytes.includes(Buffer.from(text.slice(0, 8)))).toBe(false);
  }
});

test('at another place it is not decrypted', async () => {
  const { encrypt, decrypt } = await newInstance();
  const ciphertext = await encrypt(text, place);
  for (const other of ['', 'wh_2', 'wh_1 ', 'WH_1'])
    await expect(decrypt(ciphertext, other)).rejects.toThrow();
  expect(await decrypt(ciphertext, place)).toBe(text);
});

test('changed in any byte, cut short or made longer it is not decrypted', async () => {
  const { encrypt, decrypt } = await newInstance();
  const ciphertext = await encrypt(text, place);
  const bytes = Buffer.from(ciphertext.slice(2), 'base64url');
  const spell = (changed: Uint8Array) => `1:${Buffer.from(changed).toString('base64url')}`;
  expect(spell(bytes)).toBe(ciphertext);
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    await expect(decrypt(spell(changed), place)).rejects.toThrow();
  }
  for (let length = 0; length < bytes.length; length++)
    await expect(decrypt(spell(bytes.subarray(0, length)), place)).rejects.toThrow();
  await expect(decrypt(spell(Buffer.concat([bytes, Buffer.of(0)])), place)).rejects.toThrow();
});

test('after a rotation of the deployment secret old ones are still read, and new ones bear the new version', async () => {
  const old = await (await newInstance()).encrypt(text, place);
  await write({ current: '2', ...first, 2: 'a second secret' });
  const { encrypt, decrypt } = await newInstance();
  const fresh = await encrypt(text, place);
  expect([old, fresh].map((each) => each.split(':')[0])).toEqual(['1', '2']);
  for (const each of [old, fresh]) expect(await decrypt(each, place)).toBe(text);
  await expect(decrypt(fresh.replace('2:', '1:'), place)).rejects.toThrow();
});

test('of a version that is unknown, or another deployment, nothing is read', async () => {
  const ciphertext = await (await newInstance()).encrypt(text, place);
  const { decrypt } = await newInstance();
  await expect(decrypt(ciphertext.replace('1:', '7:'), place)).rejects.toThrow('no version 7');
  await expect(decrypt('', place)).rejects.toThrow();
  await write({ current: '1', 1: 'the secret of another deployment' });
  await expect((await newInstance()).decrypt(ciphertext, place)).rejects.toThrow();
});
