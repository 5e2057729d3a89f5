/** Decides whether a mail may go to its address. */
import { env } from '../../base/env.ts';
import type { Mail, MailReason } from '../../domain/mails/mail.ts';
import { readMailAddress } from '../../domain/mails/mail-address-store.ts';
import { readMembers } from '../../domain/users/member-store.ts';

/**
 * Returns why nothing may go to the address of a mail. Undefined: the mail may.
 * @param isTestOnly whether mails go only to members of the account
 */
export async function reasonOfAddress(mail: Mail, isTestOnly: boolean): Promise<MailReason | undefined> {
  const { suppression, unsubscribedAt } = await readMailAddress(mail, mail.to);
  if (suppression) return suppression === 'complained' ? 'address_complained' : 'address_bounced';
  if (mail.kind === 'reminder' && unsubscribedAt !== undefined) return 'unsubscribed';
  return isTestOnly && !(await isTestRecipient(mail)) ? 'test_mode' : undefined;
}

/** Whether a mail of test mode may go to its address: to a member of the account, or on the local stack, which delivers nothing. */
async function isTestRecipient({ account, to }: Mail): Promise<boolean> {
  if (env.isMailDouble()) return true;
  const { members } = await readMembers(account);
  return members.some(({ email }) => email.toLowerCase() === to.toLowerCase());
}
