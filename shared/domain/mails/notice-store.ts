/** Decides who gets a notice, and makes its mails. Each reader has one mail at most. */
import { isEmail } from '../../base/email.ts';
import { noticeId } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import type { Account } from '../accounts/account.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import { settingsThatSend } from '../accounts/replaced-notices.ts';
import { auditScopeOf, readAuditEntry } from '../audit/audit-store.ts';
import { valueAfter } from '../audit/entry.ts';
import { type AccountMembers, emailOf, openInvitation } from '../users/members.ts';
import type { Notice } from './mail.ts';
import { readMail } from './mail-store.ts';
import { entryFields, memberChangeOf, type NoticeReference } from './notice.ts';

/**
 * Returns the addresses that get a notice, each once. None: the account does not send it. An invitation goes to the invited person alone. A sign-in also goes to the
 * member who signed in, because only they know whether it was them. A change of a member goes to that person, too: the owners who are
 * left can be those who made it without a right to.
 */
export function readersOf(
  { kind, about, at, detail }: Pick<NoticeReference, 'kind' | 'about' | 'at' | 'detail'>,
  account: Partial<NoticeSettings> & Pick<Account, 'replacedNotices'>,
  members: AccountMembers,
  now: RealTime,
): readonly string[] {
  const settings = settingsThatSend({ kind, at }, account);
  if (settings.length === 0) return [];
  const addresses =
    kind === 'invitation'
      ? [openInvitation(members, about, now)?.email]
      : [
          concernsPerson({ kind, detail }) ? emailOf(members, about) : undefined,
          ...settings.flatMap(({ mailNoticesTo }) =>
            mailNoticesTo === undefined ? ownersOf(members) : [mailNoticesTo],
          ),
        ];
  const byName = new Map(
    addresses.flatMap((each) => (each !== undefined && isEmail(each) ? [[each.toLowerCase(), each]] : [])),
  );
  return [...byName.values()];
}

/** Whether a notice also goes to the person whom it is about. */
const concernsPerson = ({ kind, detail }: Pick<NoticeReference, 'kind' | 'detail'>): boolean =>
  kind === 'sign_in' || (kind === 'member' && memberChangeOf(detail).kind !== 'joined');

const ownersOf = ({ members }: AccountMembers): readonly string[] =>
  members.filter(({ role }) => role === 'owner').map(({ email }) => email);

/**
 * Returns the detail of a notice: that of its reference, or what the entry of the audit log says. So a key has the name that it had at
 * the change. The entry is stored before the timer. Only if the end of its log cannot be read, the entry waits for an operator. Then the
 * detail is empty, because a notice of security does not wait.
 * @throws MalformedItemError
 */
export async function readDetail(
  { account, mode, kind, cause, detail }: NoticeReference,
  now: RealTime,
): Promise<string> {
  const field = entryFields[kind];
  if (field === undefined) return detail;
  const entry = await readAuditEntry(auditScopeOf({ account, mode }), cause, now);
  return entry ? valueAfter(entry, field) : '';
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
