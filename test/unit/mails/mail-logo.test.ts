/** Tests that a mail contains the logo that its HTML shows, beside the PDF. */
import { expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { parseMailAddress, toHeaderText } from '../../../shared/domain/mails/mail-text.ts';
import { composeMail } from '../../../shared/web/mails/compose-mail.ts';
import { type LogoPart, logoPartId, sizeOfLogo } from '../../../shared/web/mails/mail-logo.ts';
import { renderMail } from '../../../shared/web/mails/render-mail.ts';

const address = (text: string) => parseMailAddress(text) as NonNullable<ReturnType<typeof parseMailAddress>>;
const logo: LogoPart = {
  picture: { src: `cid:${logoPartId}`, alt: 'Druk "Crafts" <b>', width: 90, height: 28 },
  type: 'image/png',
  bytes: new Uint8Array([137, 80, 78, 71, 0, 255]),
};

const mailWith = async (part: LogoPart | undefined) => {
  const rendered = renderMail({
    ...{ kind: 'invoice', locale: 'en', payee: 'Druk', number: 'INV-1', amountMinor: 2500, currency: 'BTN' },
    ...{ description: 'Tea', dueAt: 0, isDefaultDueDate: true, doneAt: undefined, timeZone: undefined },
    ...{ paymentUrl: 'https://pay.example/pay/inv_1', unsubscribeUrl: undefined, message: undefined },
    ...{ isTest: false, hasDocument: true, logo: part?.picture },
  });
  const source = await composeMail({
    ...rendered,
    ...{ id: 'mail_1', from: address('a@shop.example'), fromName: undefined, to: address('b@x.example') },
    ...{ replyTo: undefined, unsubscribeUrl: undefined, logo: part },
    pdf: { name: toHeaderText('INV-1.pdf'), bytes: new Uint8Array([37, 80, 68, 70]) },
  });
  return { source: source.toString(), email: await PostalMime.parse(source) };
};

test('the logo is a related part that the HTML names, and the PDF an attachment', async () => {
  const { source, email } = await mailWith(logo);
  expect(email.html).toContain(
    `<img src="cid:${logoPartId}" alt="Druk &quot;Crafts&quot; &lt;b&gt;" width="90" height="28"`,
  );
  expect(source).toContain('multipart/related');
  expect(email.text).not.toContain('cid:');
  const [picture, pdf, ...more] = email.attachments;
  expect(picture).toMatchObject({
    contentId: `<${logoPartId}>`,
    disposition: 'inline',
    mimeType: 'image/png',
  });
  expect(new Uint8Array(picture?.content as ArrayBuffer)).toEqual(logo.bytes);
  expect(pdf).toMatchObject({ filename: 'INV-1.pdf', disposition: 'attachment' });
  expect(more).toEqual([]);
});

test('without a logo, a mail has no picture', async () => {
  const { email } = await mailWith(undefined);
  expect(email.html).not.toMatch(/<img|cid:/);
  expect(email.attachments).toMatchObject([{ filename: 'INV-1.pdf' }]);
});

test.each([
  [400, 120, 180, 54],
  [100, 400, 14, 56],
  [32, 32, 32, 32],
  [4000, 4, 180, 1],
])('a logo of %i × %i pixels is shown with %i × %i', (width, height, shownWidth, shownHeight) => {
  expect(sizeOfLogo({ width, height })).toEqual({ width: shownWidth, height: shownHeight });
});
