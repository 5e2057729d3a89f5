/** Tests the calls to targets in AWS: their signatures, and what the double of EventBridge and Lambda accepts. Under 1 s. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { DoubleRequest } from '../../../infra/local/provider-doubles/common/double-messages.ts';
import { startTargetDouble, type TargetDouble } from '../../../infra/local/targets/target-double.ts';
import { parseTarget } from '../../../shared/base/aws-targets.ts';
import { TargetClient } from '../../../shared/platform/aws/target-client.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret',
  sessionToken: 'session/token+of==',
};
const bus = 'arn:aws:events:eu-central-1:123456789012:event-bus/events';
const fn = 'arn:aws:lambda:eu-west-1:123456789012:function:events:live';
const message = {
  id: 'evt_1',
  type: 'invoice.paid',
  mode: 'live',
  account: 'acct_1',
  objectId: 'inv_1',
  body: '{"id":"evt_1","data":{"id":"inv_1"}}',
};
const before = { ...process.env };
let double: TargetDouble;

beforeAll(async () => {
  double = await startTargetDouble();
  double.existing.add(bus).add(fn);
  Object.assign(process.env, {
    STAGE: 'shop2-prod',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL_EVENTBRIDGE: double.url,
    AWS_ENDPOINT_URL_LAMBDA: double.url,
  });
});
afterAll(async () => {
  process.env = before;
  await double.close();
});

async function send(arn: string, sent = message) {
  const target = parseTarget(arn);
  if (!target) throw new Error(`${arn} is no target.`);
  const outcome = await new TargetClient().send(target, sent);
  const request = double.requests.at(-1);
  if (!request) throw new Error('Nothing arrived.');
  return { outcome, request };
}

/** Returns the signature of the SDK for a request. */
async function signatureOfSdk(service: string, region: string, { path, headers, body }: DoubleRequest) {
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const time = headers['x-amz-date'] ?? '';
  const signingDate = new Date(time.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
  const signed = (headers.authorization ?? '').match(/SignedHeaders=([^,]+)/)?.[1]?.split(';') ?? [];
  const own = signed.filter((name) => !['x-amz-date', 'x-amz-security-token'].includes(name));
  const unsigned = new HttpRequest({
    method: 'POST',
    path,
    headers: Object.fromEntries(own.map((name) => [name, headers[name] ?? ''])),
    body,
  });
  return (await signer.sign(unsigned, { signingDate })).headers.authorization;
}

test('an event goes to a bus in its region, signed as the SDK signs it, on a connection of its own', async () => {
  const { outcome, request } = await send(bus);
  expect(outcome).toMatchObject({ status: 200 });
  expect(JSON.parse(request.body).Entries).toEqual([
    {
      Source: 'remit.shop2-prod',
      DetailType: 'invoice.paid',
      Detail: message.body,
      Resources: ['acct_1'],
      EventBusName: bus,
    },
  ]);
  expect(request.headers).toMatchObject({ 'x-amz-target': 'AWSEvents.PutEvents', connection: 'close' });
  expect(request.headers.authorization).toBe(await signatureOfSdk('events', 'eu-central-1', request));
});

test('an alias of a function is invoked asynchronously, signed as the SDK signs it', async () => {
  const { outcome, request } = await send(fn);
  expect(outcome).toEqual({ status: 202, answer: '' });
  expect(request.path).toBe(`/2015-03-31/functions/${encodeURIComponent(fn)}/invocations`);
  expect(request.headers['x-amz-invocation-type']).toBe('Event');
  expect(request.headers.authorization).toContain(';x-amz-invocation-type;');
  expect(request.headers.authorization).toBe(await signatureOfSdk('lambda', 'eu-west-1', request));
  const { body, id, type, mode, account } = message;
  const payload = `{"type":"${type}","mode":"${mode}","account":"${account}","id":"${id}","body":${body}}`;
  expect(double.invocations.at(-1)).toEqual({ arn: fn, payload });
});

test('EventBridge accepts and loses an event to a bus that does not exist, and Lambda refuses the call', async () => {
  const count = double.events.length;
  const { outcome } = await send(bus.replace('/events', '/deleted'));
  expect(outcome).toMatchObject({ status: 200, answer: expect.stringContaining('EventId') });
  expect(double.events).toHaveLength(count);
  expect((await send(fn.replace(':live', ''))).outcome).toMatchObject({
    error: 'target_not_found',
    cause: 'ResourceNotFoundException',
  });
});

test('an event that is too large or is no JSON object is refused', async () => {
  const large = { ...message, body: JSON.stringify({ text: 'x'.repeat(262_144) }) };
  expect((await send(bus, large)).outcome).toMatchObject({
    error: 'target_failed',
    cause: 'ValidationException',
  });
  expect((await send(fn, large)).outcome).toMatchObject({ cause: 'RequestTooLargeException' });
  const broken = { ...message, body: '{' };
  expect((await send(bus, broken)).outcome).toMatchObject({ cause: 'MalformedDetail' });
  expect((await send(fn, broken)).outcome).toMatchObject({ cause: 'InvalidRequestContentException' });
});

interface Answer {
  readonly FailedEntryCount: number;
  readonly Entries: readonly { readonly ErrorCode?: string }[];
}

describe('the double refuses what AWS refuses', () => {
  const put = async (entries: unknown, headers: Record<string, string> = {}) => {
    const { headers: last = {} } = double.requests.find(({ path }) => path === '/') ?? {};
    const sent = Object.fromEntries(
      ['content-type', 'x-amz-date', 'x-amz-target', 'x-amz-security-token', 'authorization'].map((name) => [
        name,
        last[name] ?? '',
      ]),
    );
    const response = await fetch(`${double.url}/`, {
      method: 'POST',
      headers: { ...sent, ...headers },
      body: JSON.stringify(entries),
    });
    return { status: response.status, json: (await response.json()) as Answer };
  };
  const entry = { Source: 'a', DetailType: 'b', Detail: '{}', EventBusName: bus };

  test.each([
    ['no entries', { Entries: [] }, 'ValidationException'],
    ['eleven entries', { Entries: Array(11).fill(entry) }, 'ValidationException'],
    ['an unknown field', { Entries: [{ ...entry, Type: 'x' }] }, 'ValidationException'],
    ['no entry with its three fields', { Entries: [{ Detail: '{}' }] }, 'ValidationException'],
    ['a list', [entry], 'SerializationException'],
  ])('%s', async (_, body, code) => {
    expect(await put(body)).toMatchObject({ status: 400, json: { __type: code } });
  });

  test('an entry without a field, with the source of AWS or a long type is refused alone', async () => {
    const wrong = [
      { ...entry, Source: undefined },
      { ...entry, Source: 'aws.s3' },
      { ...entry, DetailType: 'x'.repeat(129) },
    ];
    const { json } = await put({ Entries: [entry, ...wrong] });
    expect(json.FailedEntryCount).toBe(3);
    expect(json.Entries.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      'InvalidArgument',
      'NotAuthorizedForSourceException',
      'InvalidArgument',
    ]);
  });

  test('a request without a signature is refused', async () => {
    expect(await put({ Entries: [entry] }, { authorization: 'none' })).toMatchObject({ status: 403 });
  });
});
