/** Tests uploads of large objects: their pieces, and that an interrupted upload stores no object. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { localRegion, setEnvironment } from '../../../infra/local/environment.ts';
import { ensureBucket, startQueueServer } from '../../../infra/local/queue-server.ts';
import { UploadClient } from '../../../shared/platform/aws/bucket-upload.ts';

const before = { ...process.env };
let local: Awaited<ReturnType<typeof startQueueServer>>;
const calls: { readonly name: string; readonly bytes: number }[] = [];
let client: UploadClient;

beforeAll(async () => {
  local = await startQueueServer(localRegion);
  setEnvironment({
    BUCKET_NAME: 'own-bucket',
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_S3: local.endpoint,
  });
  await ensureBucket(local.endpoint, 'own-bucket');
  client = new UploadClient({
    retryStrategy: new StandardRetryStrategy(3),
    requestHandler: { socketTimeout: 10_000 },
  });
  const note =
    (next: (args: never) => unknown, { commandName }: { commandName: string }) =>
    (args: never) => {
      const { body } = (args as { input: { body?: Uint8Array } }).input;
      calls.push({ name: commandName.replace(/Command$/, ''), bytes: body?.length ?? 0 });
      return next(args);
    };
  client.middlewareStack.add(note as never, { step: 'initialize', name: 'note' });
});
afterAll(async () => {
  await local.close();
  process.env = before;
});

const mib = 1024 * 1024;
/** Bytes that differ at each place of a piece. */
const chunkOf = (length: number, seed: number) =>
  Buffer.from(
    Uint32Array.from({ length: Math.ceil(length / 4) }, (_, at) => (at + seed) * 2_654_435_761).buffer,
    0,
    length,
  );

async function* chunksOf(lengths: readonly number[]) {
  for (const [index, length] of lengths.entries()) yield chunkOf(length, index);
}

test.each([
  ['less than a piece', [5, 0, 70], 1],
  ['exactly one piece', [8 * mib], 1],
  ['chunks that are smaller and larger than pieces', [3 * mib, 7 * mib + 1, 11, 18 * mib], 4],
])('an object of %s is stored as its chunks', async (name, lengths, pieces) => {
  calls.length = 0;
  const key = `exports/acct_1/${name.replaceAll(' ', '-')}`;
  const length = await client.upload(key, 'application/zip', chunksOf(lengths));
  expect(length).toBe(lengths.reduce((sum, each) => sum + each, 0));
  const uploaded = calls.filter((call) => call.name === 'UploadPart');
  expect(uploaded).toHaveLength(pieces);
  for (const { bytes } of uploaded.slice(0, -1)) expect(bytes).toBe(8 * mib);
  const object = await client.get(key);
  expect(object?.contentType).toBe('application/zip');
  expect(Buffer.compare(object?.bytes ?? Buffer.of(1), Buffer.concat(lengths.map(chunkOf)))).toBe(0);
});

test('an upload that ends early stores no object', async () => {
  async function* broken() {
    yield chunkOf(9 * mib, 1);
    throw new Error('No more.');
  }
  await expect(client.upload('exports/acct_1/broken', 'application/zip', broken())).rejects.toThrow(
    'No more.',
  );
  expect(await client.get('exports/acct_1/broken')).toBeUndefined();
});

test('an upload to a bucket that does not exist has the code of S3', async () => {
  setEnvironment({ BUCKET_NAME: 'other-bucket' });
  await expect(client.upload('exports/acct_1/a', 'application/zip', chunksOf([1]))).rejects.toMatchObject({
    name: 'NoSuchBucket',
  });
  setEnvironment({ BUCKET_NAME: 'own-bucket' });
});
