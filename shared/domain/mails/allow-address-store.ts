/** Decides a request to send mails to an address again, to which none goes since a mail bounced for good or its reader complained. */
import { isEmail } from '../../base/email.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type Mail, type ShownMail, showMail } from './mail.ts';
import { suppressionKey } from './mail-address-store.ts';

/**
 * Creates the command that allows mails to the address of a mail. It changes nothing if they are allowed.
 * @param invoice that of the mail
 * @throws ApiError `mail_not_found` or `address_erased`
 */
export async function allowAddressCommand(
  owner: Owner,
  mail: Mail | undefined,
  invoice: LoadedRecord<Invoice>,
): Promise<Command<[Invoice], ShownMail>> {
  if (!mail || !invoice.record) throw new ApiError('mail_not_found');
  if (!isEmail(mail.to)) throw new ApiError('address_erased');
  const key = await suppressionKey(owner, mail.to);
  return new Command<[Invoice], ShownMail>([invoice], () => ({
    changes: [undefined],
    answer: showMail(mail),
    hasOtherEffect: true,
    auditedAs: mail.id,
    deletes: [key],
  }));
}
