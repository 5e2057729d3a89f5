/** Finds the addresses of mails to which an account sends nothing any more, until somebody allows them again. */
import type { Owner } from '../../../base/ids.ts';
import type { Mail, ShownMail } from '../../../domain/mails/mail.ts';
import { readMailAddress } from '../../../domain/mails/mail-address-store.ts';

/** The reasons of mails whose addresses may get nothing any more. */
const suppressing: readonly (Mail['reason'] | null)[] = [
  'bounced_permanently',
  'address_bounced',
  'address_complained',
];

/** Returns which of the addresses of some mails get nothing. One call for each address that can be one, and none for the others. */
export async function readSuppressed(
  owner: Owner,
  mails: readonly Pick<Mail | ShownMail, 'to' | 'state' | 'reason'>[],
): Promise<ReadonlySet<string>> {
  const candidates = mails
    .filter(({ state, reason }) => state === 'complained' || suppressing.includes(reason))
    .map(({ to }) => to);
  const isSuppressed = async (address: string) =>
    (await readMailAddress(owner, address)).suppression ? [address] : [];
  const suppressed = await Promise.all([...new Set(candidates)].map(isSuppressed));
  return new Set(suppressed.flat());
}
