/**
 * Limits the mails of an account, so that a stolen API key cannot turn the service into a sender of spam. The counts expire by themselves.
 *
 * The hours and days are those of the account. So a clock of test mode that moves through a plan of reminders reaches no limit. On
 * AWS, mails of test mode go only to members of the account.
 */
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { AccountTime } from '../../base/time.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { hourOf } from '../../store/account-state.ts';
import { tableKeys } from '../../store/keys.ts';
import type { NoticeKind } from '../accounts/notice-settings.ts';
import { countInHour } from '../auth/hour-count-store.ts';

/** Mails of an account and mode to an address in a clock hour. */
export const maxMailsPerHour = 3;
/** Notices of a kind of an account and mode to an address in a clock hour. No other mails use them up, so a thief of a key cannot. */
const maxNoticesPerHour = 10;

const hourMs = 60 * 60 * 1000;
const hoursPerDay = 24;

/**
 * Counts a mail against the limits of its account and of its address.
 * @throws ApiError `mail_limit_reached` if a limit is reached
 */
export async function countMail(owner: Owner, to: string, now: AccountTime): Promise<void> {
  if (!(await countIfAllowed(owner, to, now))) throw new ApiError('mail_limit_reached');
}

/**
 * Counts a mail against the limits of its account and of its address.
 * @param kind that of a notice. Undefined: a mail to a payer
 * @returns whether it is allowed. If a limit is reached, it is not.
 */
export async function countIfAllowed(
  { account, mode }: Owner,
  to: string,
  now: AccountTime,
  kind?: NoticeKind,
): Promise<boolean> {
  const hour = hourOf(now);
  const lastHour = hour - (hour % hoursPerDay) + hoursPerDay - 1;
  const [ofAddress, ofAccount] = await Promise.all([
    kind === undefined
      ? tableHash('mails:address', `${account}#${mode}#${to.toLowerCase()}`)
      : tableHash('notices:address', `${account}#${mode}#${kind}#${to.toLowerCase()}`),
    tableHash(kind === undefined ? 'mails:account' : 'notices:account', `${account}#${mode}`),
  ]);
  const max = kind === undefined ? maxMailsPerHour : maxNoticesPerHour;
  if ((await countInHour(tableKeys.attempts(ofAddress, hour), max, now)) > max) return false;
  const ofDay = tableKeys.attempts(ofAccount, lastHour);
  return (await countInHour(ofDay, env.mailsPerDay(), lastHour * hourMs)) <= env.mailsPerDay();
}
