/** Composes the message of a mail in MIME, with its text, its HTML, the logo in it, and the document as an attachment. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { HeaderText, MailAddress } from '../../domain/mails/mail-text.ts';
import type { RenderedMail } from './mail-layout.ts';
import { type LogoPart, logoPartId } from './mail-logo.ts';

export interface MailParts extends RenderedMail {
  /** The id of the mail. SES replaces the header `Message-ID`, so it is in a header of our own. */
  readonly id: string;
  readonly from: MailAddress;
  /** What readers see as the sender. */
  readonly fromName: HeaderText | undefined;
  readonly to: MailAddress;
  readonly replyTo: MailAddress | undefined;
  /** The address that stops reminders. Only of a reminder. */
  readonly unsubscribeUrl: string | undefined;
  /** The logo that the HTML shows. */
  readonly logo: LogoPart | undefined;
  readonly pdf: { readonly name: HeaderText; readonly bytes: Uint8Array } | undefined;
}

/** The header that carries the id of a mail. */
const mailIdHeader = 'X-Remit-Mail';

/**
 * Returns the message. Its parts are only what the caller gives: a text never becomes the path of a file or an address that is
 * fetched.
 */
export function composeMail(message: MailParts): Promise<Buffer> {
  const { id, from, fromName, to, replyTo, subject, html, text, unsubscribeUrl, logo, pdf } = message;
  const composer = new MailComposer({
    from: { name: fromName ?? '', address: from },
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    headers: {
      [mailIdHeader]: id,
      // RFC 3834: programs that answer mails by themselves do not answer this one.
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: programs for mail show a button that sends this form.
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    attachments: [
      ...(logo
        ? [
            {
              cid: logoPartId,
              content: Buffer.from(logo.bytes),
              contentType: logo.type,
              contentDisposition: 'inline' as const,
              filename: false as const,
            },
          ]
        : []),
      ...(pdf
        ? [{ filename: pdf.name, content: Buffer.from(pdf.bytes), contentType: 'application/pdf' }]
        : []),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
