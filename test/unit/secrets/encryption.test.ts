/** Tests encryption: a text can be decrypted in its own context only, with every version of the webhook secret. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';

const first = { w1: 'a first secret' };
let directory: string;
let file: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-encryption-'));
  file = join(directory, 'secret.json');
  process.env.WEBHOOK_SECRET_FILE = file;
});
beforeEach(() => write({ current: 'w1', ...first }));
afterAll(() => rm(directory, { recursive: true, force: true }));

const write = (secret: object) => writeFile(file, JSON.stringify(secret));

/** Imports the modules again, like a new instance of a function that has not read the secret yet. */
async function newInstance() {
  jest.resetModules();
  return import('../../../shared/platform/secrets/encryption.ts');
}

const context = 'wh_1';
const text = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('any text is unchanged after encryption and decryption in the same context', async () => {
  const { encrypt, decrypt } = await newInstance();
  const anyText = fc.string({ unit: 'binary', maxLength: 300 }).filter((each) => each.isWellFormed());
  await fc.assert(
    fc.asyncProperty(anyText, fc.string(), async (each, anyContext) => {
      const ciphertext = await encrypt(each, anyContext);
      expect(ciphertext).toMatch(/^w1:[\w-]{38,}$/);
      expect(await decrypt(ciphertext, anyContext)).toBe(each);
    }),
  );
});

test('each encryption of a text gives a different ciphertext, which does not contain the text', async () => {
  const { encrypt } = await newInstance();
  const ciphertexts = await Promise.all(Array.from({ length: 200 }, () => encrypt(text, context)));
  expect(new Set(ciphertexts.map((each) => each.slice(0, 19))).size).toBe(200);
  for (const each of ciphertexts) {
    const bytes = Buffer.from(each.slice(3), 'base64url');
    expect(bytes).toHaveLength(12 + text.length + 16);
    expect(bytes.includes(Buffer.from(text.slice(0, 8)))).toBe(false);
  }
});

test('a ciphertext cannot be decrypted in another context', async () => {
  const { encrypt, decrypt } = await newInstance();
  const ciphertext = await encrypt(text, context);
  for (const other of ['', 'wh_2', 'wh_1 ', 'WH_1'])
    await expect(decrypt(ciphertext, other)).rejects.toThrow();
  expect(await decrypt(ciphertext, context)).toBe(text);
});

test('a ciphertext that was changed in any byte, shortened or extended cannot be decrypted', async () => {
  const { encrypt, decrypt } = await newInstance();
  const ciphertext = await encrypt(text, context);
  const bytes = Buffer.from(ciphertext.slice(3), 'base64url');
  const ciphertextOf = (changed: Uint8Array) => `w1:${Buffer.from(changed).toString('base64url')}`;
  expect(ciphertextOf(bytes)).toBe(ciphertext);
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    await expect(decrypt(ciphertextOf(changed), context)).rejects.toThrow();
  }
  for (let length = 0; length < bytes.length; length++)
    await expect(decrypt(ciphertextOf(bytes.subarray(0, length)), context)).rejects.toThrow();
  await expect(decrypt(ciphertextOf(Buffer.concat([bytes, Buffer.of(0)])), context)).rejects.toThrow();
});

test('after a rotation, old ciphertexts can still be decrypted, and new ones have the new version', async () => {
  const old = await (await newInstance()).encrypt(text, context);
  await write({ current: 'w2', ...first, w2: 'a second secret' });
  const { encrypt, decrypt } = await newInstance();
  const fresh = await encrypt(text, context);
  expect([old, fresh].map((each) => each.split(':')[0])).toEqual(['w1', 'w2']);
  for (const each of [old, fresh]) expect(await decrypt(each, context)).toBe(text);
  await expect(decrypt(fresh.replace('w2:', 'w1:'), context)).rejects.toThrow();
});

test('a ciphertext with an unknown version or of another deployment cannot be decrypted', async () => {
  const ciphertext = await (await newInstance()).encrypt(text, context);
  const { decrypt } = await newInstance();
  await expect(decrypt(ciphertext.replace('w1:', 'w7:'), context)).rejects.toThrow('no version w7');
  await expect(decrypt('', context)).rejects.toThrow();
  await write({ current: 'w1', w1: 'the secret of another deployment' });
  await expect((await newInstance()).decrypt(ciphertext, context)).rejects.toThrow();
});
