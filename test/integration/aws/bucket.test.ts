/** Tests the client of the bucket: what S3 receives, that its signatures are valid, and that objects survive a restart of the local S3. */
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { localRegion, setEnvironment } from '../../../infra/local/environment.ts';
import { ensureBucket, startQueueServer } from '../../../infra/local/queue-server.ts';
import { BucketClient } from '../../../shared/platform/aws/bucket-client.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const before = { ...process.env };
let server: Server | undefined;

beforeEach(() =>
  setEnvironment({
    BUCKET_NAME: 'own-bucket',
    AWS_REGION: 'ap-south-1',
    AWS_ACCESS_KEY_ID: ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: 'token/with+signs=',
  }),
);
afterAll(() => {
  server?.close();
  process.env = before;
});

const newClient = () =>
  new BucketClient({ retryStrategy: new StandardRetryStrategy(3), requestHandler: { socketTimeout: 5_000 } });
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Starts an S3 that answers each request with the next answer, and remembers what it received. */
async function startDouble(...answers: { status: number; body?: string }[]): Promise<Received[]> {
  const received: Received[] = [];
  server?.close();
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url = '', headers } = request;
    received.push({
      method,
      url: new URL(url, `http://${headers.host}`),
      headers,
      body: Buffer.concat(parts),
    });
    const { status, body = '' } = answers.shift() ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'image/png' }).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  setEnvironment({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` });
  return received;
}

/** The signature of a request: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function signatureOf(
  { method, url }: Pick<Received, 'method' | 'url'>,
  {
    time,
    names,
    headers,
    payload,
  }: Record<'time' | 'names' | 'payload', string> & { headers: IncomingHttpHeaders },
): string {
  const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, escape);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = [method, url.pathname, query, lines.join(''), names, payload].join('\n');
  const scope = `${time.slice(0, 8)}/ap-south-1/s3/aws4_request`;
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer;
  return hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex');
}

test('a call is signed with its body, its key and its query', async () => {
  const received = await startDouble();
  const client = newClient();
  const bytes = Buffer.from([0x89, 0, 255, 13, 10]);
  await client.put('logos/acct_1/aa', { contentType: 'image/png', bytes });
  await client.list('logos/acct_1/');
  await client.delete('logos/acct_1/aa');
  expect(received.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
    'PUT /own-bucket/logos/acct_1/aa',
    'GET /own-bucket?list-type=2&prefix=logos%2Facct_1%2F',
    'DELETE /own-bucket/logos/acct_1/aa',
  ]);
  expect(received[0]?.body).toEqual(bytes);
  for (const request of received) {
    const { headers, body } = request;
    const [, names = '', signature] =
      /SignedHeaders=([^,]+), Signature=(\w+)$/.exec(headers.authorization ?? '') ?? [];
    expect(names).toContain('host;x-amz-content-sha256;x-amz-date;x-amz-security-token');
    expect(headers['x-amz-content-sha256']).toBe(sha256(body));
    const time = String(headers['x-amz-date']);
    expect(signature).toBe(signatureOf(request, { time, names, headers, payload: sha256(body) }));
  }
  expect(received[0]?.headers.authorization).toContain('content-type');
});

test('a link is signed, and names the host of the bucket on AWS', async () => {
  delete process.env.AWS_ENDPOINT_URL_S3;
  const disposition = 'attachment; filename="INV-(1).pdf"';
  const link = await newClient().linkTo('pdfs/acct_1/ab.pdf', { seconds: 300, disposition });
  const url = new URL(link);
  expect(`${url.origin}${url.pathname}`).toBe(
    'https://own-bucket.s3.ap-south-1.amazonaws.com/pdfs/acct_1/ab.pdf',
  );
  const { searchParams: query } = url;
  expect(Object.fromEntries(query)).toMatchObject({
    'response-content-disposition': disposition,
    'X-Amz-Expires': '300',
    'X-Amz-Security-Token': 'token/with+signs=',
    'X-Amz-SignedHeaders': 'host',
  });
  const time = String(query.get('X-Amz-Date'));
  const expected = { time, names: 'host', headers: { host: url.host }, payload: 'UNSIGNED-PAYLOAD' };
  expect(query.get('X-Amz-Signature')).toBe(signatureOf({ method: 'GET', url }, expected));
});

test('a link for an upload signs the length of the body', async () => {
  delete process.env.AWS_ENDPOINT_URL_S3;
  const link = await newClient().uploadLinkTo('statements/acct_1/test/file_1', { seconds: 900, bytes: 812 });
  const url = new URL(link);
  const { searchParams: query } = url;
  const names = 'content-length;host';
  expect([query.get('X-Amz-SignedHeaders'), query.get('X-Amz-Expires')]).toEqual([names, '900']);
  const signatureWith = (length: string) =>
    signatureOf(
      { method: 'PUT', url },
      {
        time: String(query.get('X-Amz-Date')),
        names,
        headers: { host: url.host, 'content-length': length },
        payload: 'UNSIGNED-PAYLOAD',
      },
    );
  expect(query.get('X-Amz-Signature')).toBe(signatureWith('812'));
  expect(query.get('X-Amz-Signature')).not.toBe(signatureWith('813'));
});

test('an object that is missing or hidden is undefined, errors have the code of S3, and a busy S3 is asked again', async () => {
  const answer = (status: number, code: string) => ({
    status,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
  });
  const received = await startDouble(
    answer(404, 'NoSuchKey'),
    answer(403, 'AccessDenied'),
    answer(400, 'InvalidRequest'),
    answer(503, 'SlowDown'),
    { status: 200, body: 'logo' },
  );
  const client = newClient();
  expect(await client.get('logos/a/b')).toBeUndefined();
  expect(await client.get('logos/a/b')).toBeUndefined();
  await expect(client.get('logos/a/b')).rejects.toMatchObject({ name: 'InvalidRequest', message: 'No.' });
  expect(await client.get('logos/a/b')).toEqual({ contentType: 'image/png', bytes: Buffer.from('logo') });
  expect(received.length).toBe(5);
  await expect(client.get('logos/../b?c')).rejects.toThrow('is not plain');
});

test('objects of the local stack survive its restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'remit-objects-'));
  const bytes = Buffer.from('logo');
  const within = async (work: (client: BucketClient) => Promise<void>) => {
    const local = await startQueueServer(localRegion, directory);
    setEnvironment({ AWS_ENDPOINT_URL_S3: local.endpoint });
    await ensureBucket(local.endpoint, 'own-bucket');
    await work(newClient()).finally(local.close);
  };
  await within((client) => client.put('logos/acct_1/aa', { contentType: 'image/png', bytes }));
  await within(async (client) => {
    expect(await client.get('logos/acct_1/aa')).toEqual({ contentType: 'image/png', bytes });
    expect(await client.list('logos/acct_1/')).toEqual(['logos/acct_1/aa']);
    const link = await client.linkTo('logos/acct_1/aa', { seconds: 60, disposition: 'inline' });
    expect(Buffer.from(await (await fetch(link)).arrayBuffer())).toEqual(bytes);
    await client.delete('logos/acct_1/aa');
  });
  await within(async (client) => {
    expect(await client.list('logos/')).toEqual([]);
    expect(await client.get('logos/acct_1/aa')).toBeUndefined();
  });
  await rm(directory, { recursive: true, force: true });
});
