/** Tests that the records of Amazon SES are understood, and which of them change a mail. */
import { describe, expect, test } from '@jest/globals';
import { type SesReport, sesRecord } from '../../../infra/local/mail/ses-events.ts';
import type { Mail } from '../../../shared/domain/mails/mail.ts';
import { isNews } from '../../../shared/domain/mails/mail-outcome-store.ts';
import { type MailOutcome, parseSesEvent, tagsOf } from '../../../shared/domain/mails/ses-event.ts';
import { MalformedItemError } from '../../../shared/store/stored-fields.ts';

const owner = { account: `acct_${'a'.repeat(16)}`, mode: 'test' } as const;
const id = `mail_${'0'.repeat(26)}`;
const sesId = 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000';

/** The bounce record of https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html, with our tags. */
const published = {
  eventType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [
      {
        emailAddress: 'recipient@example.com',
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 user unknown',
      },
    ],
    timestamp: '2017-08-05T00:41:02.669Z',
    feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
    reportingMTA: 'dsn; mta.example.com',
  },
  mail: {
    timestamp: '2017-08-05T00:40:02.012Z',
    source: 'Sender Name <sender@example.com>',
    sourceArn: 'arn:aws:ses:us-east-1:123456789012:identity/sender@example.com',
    sendingAccountId: '123456789012',
    messageId: sesId,
    destination: ['recipient@example.com'],
    headersTruncated: false,
    headers: [{ name: 'From', value: 'Sender Name <sender@example.com>' }],
    commonHeaders: { from: ['Sender Name <sender@example.com>'], messageId: sesId, subject: 'Hello' },
    tags: {
      'ses:configuration-set': ['ConfigSet'],
      'ses:source-ip': ['192.0.2.0'],
      'ses:from-domain': ['example.com'],
      'ses:caller-identity': ['ses_user'],
      remit_mail: [id],
      remit_account: [owner.account],
      remit_mode: ['test'],
    },
  },
};
const parsed = (change: object) => parseSesEvent(JSON.stringify({ ...published, ...change }));

describe('parseSesEvent', () => {
  const address = { id, ...owner, sesId, to: 'recipient@example.com' };
  const reference = { ...address, acceptedAt: Date.parse(published.mail.timestamp) };

  test('the published records say what came of a mail', () => {
    expect(parsed({})).toEqual({ ...reference, state: 'bounced', reason: 'bounced_permanently' });
    for (const bounceType of ['Transient', 'Undetermined'])
      expect(parsed({ bounce: { ...published.bounce, bounceType } })).toEqual({
        ...reference,
        state: 'bounced',
        reason: 'bounced_temporarily',
      });
    expect(parsed({ eventType: 'Complaint' })).toEqual({ ...reference, state: 'complained' });
    expect(parsed({ eventType: 'Delivery' })).toEqual({ ...reference, state: 'delivered' });
    expect(parsed({ eventType: 'Reject' })).toEqual({ ...reference, state: 'failed', reason: 'rejected' });
  });

  test.each([
    ['delivery', 'delivered'],
    ['permanent bounce', 'bounced'],
    ['suppressed', 'bounced'],
    ['transient bounce', 'bounced'],
    ['complaint', 'complained'],
    ['reject', 'failed'],
  ] as const)('a record of the double is understood: %s', (report: SesReport, state) => {
    const tags = tagsOf({ id, ...owner });
    const mail = { messageId: sesId, from: 'a@shop.example', to: ['b@example.bt'], acceptedAt: 1 };
    const record = sesRecord({ ...mail, tags, configurationSet: 'set' }, report, 2);
    expect(parseSesEvent(record)).toMatchObject({ ...address, to: 'b@example.bt', state });
  });

  test('other events, mails of others and the greeting of a topic are nothing to store', () => {
    expect(parsed({ eventType: 'DeliveryDelay' })).toBeUndefined();
    expect(parsed({ mail: { ...published.mail, tags: { other: ['x'] } } })).toBeUndefined();
    expect(parsed({ mail: { ...published.mail, tags: undefined } })).toBeUndefined();
    const greeting = 'Successfully validated SNS topic for Amazon SES event publishing.';
    expect(parseSesEvent(greeting)).toBeUndefined();
    expect(parseSesEvent(`${greeting}\n`)).toBeUndefined();
  });

  test.each([
    ['no JSON', 'hello'],
    ['a list', '[]'],
    ['no type', JSON.stringify({ ...published, eventType: undefined })],
    ['no mail', JSON.stringify({ ...published, mail: null })],
    ['no id', JSON.stringify({ ...published, mail: { ...published.mail, messageId: 7 } })],
    ['no bounce', JSON.stringify({ ...published, bounce: undefined })],
    ...Object.entries({
      remit_mail: ['mail_1'],
      remit_account: [''],
      remit_mode: ['other'],
    }).map(([name, value]) => {
      const tags = { ...published.mail.tags, [name]: value };
      return [`wrong ${name}`, JSON.stringify({ ...published, mail: { ...published.mail, tags } })] as const;
    }),
  ])('a malformed record is refused: %s', (_, body) => {
    expect(() => parseSesEvent(body)).toThrow(MalformedItemError);
  });
});

describe('isNews', () => {
  const outcomes: readonly Pick<MailOutcome, 'state' | 'reason'>[] = [
    { state: 'bounced', reason: 'bounced_temporarily' },
    { state: 'delivered' },
    { state: 'bounced', reason: 'bounced_permanently' },
    { state: 'complained' },
  ];
  const outcomeOf = (outcome: Pick<MailOutcome, 'state' | 'reason'>): MailOutcome => ({
    ...owner,
    id,
    sesId,
    acceptedAt: 0,
    to: undefined,
    ...outcome,
  });
  type Known = Pick<Mail, 'state' | 'reason' | 'sesId'>;
  const apply = (mail: Known, outcome: Pick<MailOutcome, 'state' | 'reason'>): Known =>
    isNews(mail, outcomeOf(outcome)) ? { ...outcome, sesId } : mail;

  test('all orders of the same reports, also repeated, lead to the same state', () => {
    const orders = (left: typeof outcomes): (typeof outcomes)[] =>
      left.length === 0
        ? [[]]
        : left.flatMap((first, index) => orders(left.toSpliced(index, 1)).map((rest) => [first, ...rest]));
    for (let subset = 1; subset < 2 ** outcomes.length; subset++) {
      const reported = outcomes.filter((_, index) => subset & (1 << index));
      for (const order of orders(reported)) {
        const end = [...order, ...order].reduce<Known>(apply, { state: 'sending' });
        expect(end).toMatchObject(reported.at(-1) ?? {});
      }
    }
  });

  test('a report is about one message of SES', () => {
    for (const state of ['sending', 'unknown', 'sent'] as const)
      expect(isNews({ state }, outcomeOf({ state: 'delivered' }))).toBe(true);
    expect(isNews({ state: 'sent', sesId }, outcomeOf({ state: 'delivered' }))).toBe(true);
    expect(isNews({ state: 'sent', sesId: 'other' }, outcomeOf({ state: 'delivered' }))).toBe(false);
  });

  test('a mail that SES rejects later fails, unless more is known', () => {
    const rejected = outcomeOf({ state: 'failed', reason: 'rejected' });
    expect(isNews({ state: 'sent', sesId }, rejected)).toBe(true);
    expect(isNews({ state: 'failed', sesId }, rejected)).toBe(false);
    expect(isNews({ state: 'delivered', sesId }, rejected)).toBe(false);
  });
});
