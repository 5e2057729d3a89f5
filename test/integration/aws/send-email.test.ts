/** Tests the call to SES: its signature, and what each answer means for whether the mail may be sent again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { sendEmail } from '../../../shared/platform/aws/send-email.ts';
import { type Answer, type ServiceDouble, startServiceDouble } from '../../support/service-double.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret',
  sessionToken: 'session/token+of==',
};
const before = { ...process.env };
let double: ServiceDouble;

beforeAll(() => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  });
});
beforeEach(async () => {
  double = await startServiceDouble();
  process.env.AWS_ENDPOINT_URL_SESV2 = double.endpoint;
});
afterEach(() => double.close());
afterAll(() => {
  process.env = before;
});

const email = {
  from: 'invoices@shop.example',
  to: 'dorji@example.bt',
  source: Buffer.from('Subject: Kira\r\n\r\nHello'),
  tags: { remit_mail: 'mail_1' },
};
const accepted = { body: { MessageId: '0100-1' } };

test('the request is what AWS documents, signed as the SDK signs it, on a connection of its own', async () => {
  double.answers = [accepted];
  process.env.MAIL_CONFIGURATION_SET = 'remit-mails';
  expect(await sendEmail(email)).toEqual({ kind: 'accepted', messageId: '0100-1' });
  const [request, ...more] = double.requests;
  expect(more).toEqual([]);
  expect(request).toMatchObject({ method: 'POST', path: '/v2/email/outbound-emails' });
  const { headers = {}, body = '' } = request ?? {};
  expect(JSON.parse(body)).toEqual({
    FromEmailAddress: email.from,
    Destination: { ToAddresses: [email.to] },
    Content: { Raw: { Data: email.source.toString('base64') } },
    ConfigurationSetName: 'remit-mails',
    EmailTags: [{ Name: 'remit_mail', Value: 'mail_1' }],
  });
  expect(headers.connection).toBe('close');
  const signer = new SignatureV4({
    credentials,
    region: 'eu-west-1',
    service: 'ses',
    sha256: Sha256,
    applyChecksum: false,
  });
  const { host = '', 'content-type': type = '', 'x-amz-date': time = '' } = headers;
  const signingDate = new Date(time.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
  const unsigned = new HttpRequest({
    method: 'POST',
    path: '/v2/email/outbound-emails',
    headers: { host, 'content-type': type },
    body,
  });
  expect((await signer.sign(unsigned, { signingDate })).headers.authorization).toBe(headers.authorization);
});

const later = (reason: string) => ({ kind: 'later', reason });
const error = (status: number, code: string, message = ''): Answer => ({
  status,
  headers: { 'x-amzn-errortype': `${code}:http://internal.amazon.com/` },
  body: { message },
});
const outcomes: readonly (readonly [string, Answer, object])[] = [
  ['an answer without an id', { body: {} }, { kind: 'unknown' }],
  ['an answer that is not JSON', { body: '<html>' }, { kind: 'unknown' }],
  ['an error of the service', error(500, 'InternalServiceErrorException'), { kind: 'unknown' }],
  ['a gateway without the service', { status: 503, body: '' }, { kind: 'unknown' }],
  ['a lost answer', 'reset', { kind: 'unknown' }],
  ['half an answer', 'reset within the body', { kind: 'unknown' }],
  ['a rate', error(429, 'TooManyRequestsException'), later('throttled')],
  ['a limit', error(400, 'LimitExceededException'), later('throttled')],
  ['a paused account', error(400, 'SendingPausedException'), later('sending_paused')],
  ['a suspended account', error(400, 'AccountSuspendedException'), later('sending_paused')],
  [
    'the sandbox',
    error(400, 'MessageRejected', 'Email address is not verified. The following identities failed'),
    later('not_verified'),
  ],
  ['a missing record', error(400, 'MailFromDomainNotVerifiedException'), later('not_verified')],
  ['a missing permission', error(403, 'AccessDeniedException'), later('service_error')],
  ['a missing configuration set', error(404, 'NotFoundException'), later('service_error')],
  ['content', error(400, 'MessageRejected', 'Virus found.'), { kind: 'refused', code: 'MessageRejected' }],
  ['a bad request', error(400, 'BadRequestException'), { kind: 'refused', code: 'BadRequestException' }],
];

test.each(outcomes)('%s is never followed by another call', async (_, answer, outcome) => {
  double.answers = [answer, accepted];
  expect(await sendEmail(email)).toEqual(outcome);
  expect(double.requests).toHaveLength(1);
});

test('a mail can be sent again if no request was made', async () => {
  await double.close();
  expect(await sendEmail(email)).toEqual(later('service_error'));
  delete process.env.AWS_ENDPOINT_URL_SESV2;
  process.env.AWS_USE_FIPS_ENDPOINT = 'true';
  expect(await sendEmail(email)).toEqual(later('service_error'));
  double = await startServiceDouble();
});
