/** Decides whether an account sends mails of a kind, and whether a new invoice has an address to go to. */
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { isMailSendable, type MailKind, type MailSettings } from '../accounts/mail-settings.ts';
import { type Addressed, type FindCustomer, recipientOf } from './recipient.ts';

/** What a mail depends on, besides its invoice. */
export interface MailSources {
  /** Which mails the account sends. Undefined: none. */
  readonly settings: MailSettings | undefined;
  readonly findCustomer: FindCustomer;
}

/**
 * Checks that a new invoice can go to its customer by mail.
 * @throws ApiError `mail_off`, `mail_kind_off` or `no_recipient`
 */
export async function requireSendable(
  invoice: Addressed,
  { settings, findCustomer }: MailSources,
): Promise<void> {
  requireMailOn(settings, 'invoice');
  if ((await recipientOf(invoice, findCustomer)) !== undefined) return;
  const message = 'The invoice has no email address. Add one to its buyer or customer, or leave out send.';
  throw new ApiError('no_recipient', { field: 'send', message });
}

/** Checks that mails of a kind can be sent. @throws ApiError `mail_off` or `mail_kind_off` */
export function requireMailOn(settings: MailSettings | undefined, kind: MailKind): asserts settings {
  if (env.mailFrom() === undefined) throw new ApiError('mail_off');
  if (!settings || !isMailSendable(settings, kind)) throw new ApiError('mail_kind_off');
}
