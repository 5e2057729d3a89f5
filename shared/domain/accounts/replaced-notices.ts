/**
 * Keeps the settings of notices that were replaced. For a day they still decide who gets notices about security.
 *
 * - The readers of before a change learn of the change, and of what follows it. So a thief of an account cannot silence them.
 * - A notice of before a change, whose mail is sent after it, also goes to the readers of before.
 */
import type { Instant } from '../../base/time.ts';
import type { Account, ReplacedNotices } from './account.ts';
import { type NoticeKind, type NoticeSettings, noticesOf } from './notice-settings.ts';

/** How long replaced settings count, in milliseconds. */
export const replacedForMs = 24 * 60 * 60 * 1000;
/** They keep the profile of the account small. Of more in a day, the oldest count, because a thief makes the later ones. */
const maxReplaced = 8;

/** The kinds about security. Replaced settings decide nothing about the others. */
const securityKinds: readonly NoticeKind[] = ['endpoint', 'key', 'member', 'payout', 'sign_in'];

type Settings = Partial<NoticeSettings> & Pick<Account, 'replacedNotices'>;

/** Returns all settings that send a notice. None: nobody gets it. @param at when happened what the notice is about */
export function settingsThatSend(
  { kind, at }: { readonly kind: NoticeKind; readonly at: Instant },
  account: Settings,
): readonly Partial<NoticeSettings>[] {
  const replaced = securityKinds.includes(kind)
    ? (account.replacedNotices ?? []).filter(({ until }) => at < until)
    : [];
  return [account, ...replaced].filter(({ mailNotices }) => noticesOf({ mailNotices }).includes(kind));
}

/** Returns what an account keeps after its settings of notices change. */
export function replacedNoticesAfter(account: Settings, now: Instant): readonly ReplacedNotices[] {
  const kept = (account.replacedNotices ?? []).filter(({ until }) => now < until);
  if (kept.length >= maxReplaced) return kept;
  const { mailNotices, mailNoticesTo } = account;
  return [
    ...kept,
    {
      ...(mailNotices !== undefined && { mailNotices }),
      ...(mailNoticesTo !== undefined && { mailNoticesTo }),
      until: now + replacedForMs,
    },
  ];
}
