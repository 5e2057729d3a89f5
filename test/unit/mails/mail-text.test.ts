/** Tests which addresses mails go to, that no text adds a header, and that a large document arrives whole. */
import { describe, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { type MailAddress, parseMailAddress, toHeaderText } from '../../../shared/domain/mails/mail-text.ts';
import { composeMail } from '../../../shared/web/mails/compose-mail.ts';

const label = 'a'.repeat(63);

describe('an address', () => {
  test.each([
    'dorji@example.bt',
    "o'neil+invoices@mail.example.co.in",
    '!#$%&*/=?^_`{|}~-@example.bt',
    `${'a'.repeat(64)}@example.bt`,
    '1@1.example',
    'pema@xn--dk8hrw.example',
  ])('is accepted: %j', (text) => {
    expect(parseMailAddress(text)).toBe(text);
  });

  // The mail standards allow the first ones. Mailboxes that merchants meet do not have them, and programs disagree about them.
  test.each([
    '"pema lhamo"@example.bt',
    'pema(comment)@example.bt',
    'Pema <pema@example.bt>',
    'pema@[192.0.2.1]',
    'པདྨ@example.bt',
    'pema@འབྲུག.example',
    'group: a@example.bt, b@example.bt;',
    'a@example.bt,b@example.bt',
    'a@example.bt b@example.bt',
    'a@example.bt\r\nBcc: b@example.bt',
    'a@example.bt\0',
    ' a@example.bt',
    'a\u200b@example.bt',
    '.a@example.bt',
    'a..b@example.bt',
    'a@localhost',
    'a@-b.example',
    'a@b.1',
    'a@b@example.bt',
    `${'a'.repeat(65)}@example.bt`,
    `a@${label}.${label}.${label}.${label}.example`,
    '@example.bt',
    '',
  ])('is refused: %j', (text) => {
    expect(parseMailAddress(text)).toBeUndefined();
  });
});

const message = {
  ...{ id: 'mail_1', subject: toHeaderText('Invoice'), html: '<p>Hello</p>', text: 'Hello' },
  from: 'shop@example.bt' as MailAddress,
  to: 'pema@example.bt' as MailAddress,
  ...{ fromName: undefined, replyTo: undefined, unsubscribeUrl: undefined, logo: undefined, pdf: undefined },
};

test('a name of a sender, a subject and a file name add no header', async () => {
  const text = toHeaderText('Druk\r\nBcc: thief@example.bt\u2028Cc: other@example.bt\0 "x" <y@example.bt>');
  const pdf = { name: text, bytes: Buffer.from('%PDF-') };
  const email = await PostalMime.parse(await composeMail({ ...message, fromName: text, subject: text, pdf }));
  expect(email.headers.map(({ key }) => key).filter((key) => /^b?cc$/.test(key))).toEqual([]);
  expect(email.to).toMatchObject([{ address: 'pema@example.bt' }]);
  expect(email.from).toMatchObject({ address: 'shop@example.bt' });
  expect(email.subject).toBe(text);
  expect(email.attachments).toHaveLength(1);
});

test('a document of 10 MB arrives whole, in lines that mail servers accept', async () => {
  const bytes = Buffer.alloc(10 * 1024 * 1024, '%PDF-1.7 ');
  const source = await composeMail({ ...message, pdf: { name: toHeaderText('INV-1.pdf'), bytes } });
  // SES accepts 40 MB: https://docs.aws.amazon.com/ses/latest/dg/quotas.html
  expect(source.length).toBeLessThan(15 * 1024 * 1024);
  expect(
    source
      .subarray(0, 100_000)
      .toString()
      .split('\r\n')
      .every((line) => line.length <= 998),
  ).toBe(true);
  const [attachment] = (await PostalMime.parse(source)).attachments;
  expect(bytes.equals(Buffer.from(attachment?.content as ArrayBuffer))).toBe(true);
});
