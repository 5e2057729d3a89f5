/** Finds the addresses of mails to which an account sends nothing any more, until somebody allows them again, and says so. */
import { isEmail } from '../../../base/email.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Mail, ShownMail } from '../../../domain/mails/mail.ts';
import { readMailAddress } from '../../../domain/mails/mail-address-store.ts';
import { textFor } from '../records/record-texts.ts';
import { allowedAgainText, mailReasonTexts, suppressedText } from './mail-texts.ts';

type ReadMail = Pick<Mail | ShownMail, 'to' | 'state' | 'reason'>;

/** The reasons of mails whose addresses may get nothing any more. */
const suppressing: readonly (Mail['reason'] | null)[] = [
  'bounced_permanently',
  'address_bounced',
  'address_complained',
];

/** Whether nothing more went to the address of a mail when it got its state. An erased mail has no address. */
const isOfSuppressed = ({ to, state, reason = null }: ReadMail): boolean =>
  isEmail(to) && (state === 'complained' || suppressing.includes(reason));

/** Returns which of the addresses of some mails get nothing. One call for each address that can be one, and none for the others. */
export async function readSuppressed(owner: Owner, mails: readonly ReadMail[]): Promise<ReadonlySet<string>> {
  const candidates = mails.filter(isOfSuppressed).map(({ to }) => to);
  const isSuppressed = async (address: string) =>
    (await readMailAddress(owner, address)).suppression ? [address] : [];
  const suppressed = await Promise.all([...new Set(candidates)].map(isSuppressed));
  return new Set(suppressed.flat());
}

/**
 * Returns why a mail waits, was not sent or did not arrive, and whether its address is allowed again. A mail of a newer release can have a
 * reason that this release does not know.
 * @param suppressed what `readSuppressed` has returned for the mail
 */
export function reasonTextOf(mail: ReadMail, suppressed: ReadonlySet<string>): string {
  const { to, reason } = mail;
  const why = reason == null ? '' : textFor(mailReasonTexts, reason);
  if (!isOfSuppressed(mail)) return why;
  if (!suppressed.has(to)) return `${why} ${allowedAgainText}`.trim();
  return reason === 'bounced_permanently' ? `${why} ${suppressedText}` : why;
}
