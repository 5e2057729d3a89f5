/**
 * Defines notices, the mails to the merchant: what they are about, and the timers that lead to them.
 *
 * - A timer says what happened. Its reader decides who gets the notice, so nobody who has left the account does.
 * - It holds ids and words of this service only, because keys and messages contain no texts of people. What else a notice says is
 *   in the entry of the audit log.
 */
import { type Mode, modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { type NoticeKind, noticeKinds } from '../accounts/notice-settings.ts';

/** What a notice is about. */
export interface NoticeReference extends Owner {
  readonly kind: NoticeKind;
  /** When it happened. The notices of one moment have an order by it. */
  readonly at: Instant;
  /** The id of the event or of the entry of the audit log. Each change has one notice for each reader. */
  readonly cause: string;
  /** The id of the resource. */
  readonly about: string;
  /** What an email about it says, such as the settings that changed. Empty: nothing, or what its entry says. */
  readonly detail: string;
  /** Who made the change, such as `user:usr_…` or `operator`. Empty: the change names nobody. */
  readonly by: string;
}

/** What happened to a member. */
export type MemberChange =
  | { readonly kind: 'joined' | 'changed'; readonly role: string }
  | { readonly kind: 'removed' };

/** Returns what a notice of the kind `member` says in its detail. */
export const memberDetailOf = (change: MemberChange): string =>
  change.kind === 'removed' ? change.kind : `${change.kind}:${change.role}`;

/** Reads the detail of a notice of the kind `member`. */
export function memberChangeOf(detail: string): MemberChange {
  const [kind = '', role = ''] = detail.split(':');
  if (kind === 'removed') return { kind };
  return { kind: kind === 'changed' ? kind : 'joined', role };
}

/** Who made a change, if it is nobody of the account. */
export const operatorName = 'operator';

/** The field of an entry of the audit log whose value a notice says: the name of a key, and the browser of a sign-in. */
export const entryFields: Readonly<Partial<Record<NoticeKind, string>>> = { key: 'name', sign_in: 'browser' };

const mark = 'notice';

/** Returns the timer that leads to a notice. */
export function noticeTimer(
  { account, mode, kind, at, cause, about, detail, by }: NoticeReference,
  due: Instant,
): Timer {
  const reference = [account, mode, mark, kind, at, cause, about, detail, by].join('/');
  return { due, kind: 'mail', reference, group: account };
}

/** Returns what a timer of a notice names. Undefined: it is no such timer, or another release knows the kind. */
export function noticeReferenceOf({ reference }: Pick<Timer, 'reference'>): NoticeReference | undefined {
  const [account = '', mode, name, ofKind, at = '', cause = '', about = '', ...more] = reference.split('/');
  const kind = noticeKinds.find((each) => each === ofKind);
  const isMode = modes.some((each) => each === mode);
  const [detail, by, ...others] = more;
  const isWhole = /^\d+$/.test(at) && detail !== undefined && by !== undefined && others.length === 0;
  if (name !== mark || !kind || !isMode || !isWhole) return undefined;
  return { account, mode: mode as Mode, kind, at: Number(at), cause, about, detail, by };
}

/** Whether a timer leads to a notice that says what the entry of the audit log says. The entry is stored first. */
export function needsEntry(timer: Pick<Timer, 'reference'>): boolean {
  const notice = noticeReferenceOf(timer);
  return notice !== undefined && notice.kind in entryFields;
}
