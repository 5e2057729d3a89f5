/** Decides who gets a notice, and makes its mails. Each reader has one mail at most. */
import { isEmail } from '../../base/email.ts';
import { noticeId } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import { type AccountMembers, findMember, openInvitation } from '../users/members.ts';
import type { Notice } from './mail.ts';
import { readMail } from './mail-store.ts';
import type { NoticeReference } from './notice.ts';

/**
 * Returns the addresses that get a notice, each once. An invitation goes to the invited person alone. A sign-in also goes to the
 * member who signed in, because only they know whether it was them.
 */
export function readersOf(
  { kind, about }: Pick<NoticeReference, 'kind' | 'about'>,
  { mailNoticesTo }: Pick<NoticeSettings, 'mailNoticesTo'>,
  members: AccountMembers,
  now: RealTime,
): readonly string[] {
  const addresses =
    kind === 'invitation'
      ? [openInvitation(members, about, now)?.email]
      : [
          kind === 'sign_in' ? findMember(members, about)?.email : undefined,
          ...(mailNoticesTo === undefined
            ? members.members.filter(({ role }) => role === 'owner').map(({ email }) => email)
            : [mailNoticesTo]),
        ];
  const byName = new Map(
    addresses.flatMap((each) => (each !== undefined && isEmail(each) ? [[each.toLowerCase(), each]] : [])),
  );
  return [...byName.values()];
}

/**
 * Returns the mail of a notice to a reader: the one that is stored, or a new one of the version 0, which is not. Its id follows from
 * the change and the reader. So a timer that fires twice makes one mail.
 * @throws MalformedItemError
 */
export async function noticeTo(
  { account, mode, kind, at, cause, about, detail, by }: NoticeReference,
  to: string,
  now: RealTime,
): Promise<Notice> {
  const owner = { account, mode };
  const id = noticeId(account, `${cause}:${to.toLowerCase()}`, at);
  const stored = (await readMail(owner, id)) as Notice | undefined;
  return (
    stored ?? {
      ...owner,
      id,
      kind,
      to,
      about,
      ...(detail && { detail }),
      ...(by && { by }),
      state: 'queued',
      createdAt: at,
      askedAt: now,
      isUncounted: true,
      version: 0,
    }
  );
}
