/**
 * Defines notices, the mails to the merchant: what they are about, and the timers that lead to them.
 *
 * - A timer says what happened. Its reader decides who gets the notice, so nobody who has left the account does.
 * - It holds no secret and no card data: ids, names of settings, and names that people gave to keys.
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
  /** Names the change. Each change has one notice for each reader. */
  readonly cause: string;
  /** The id of the resource. */
  readonly about: string;
  /** What an email about it says, such as the settings that changed. Empty: nothing. */
  readonly detail: string;
  /** Who made the change, such as `user:usr_…`. Empty: the change names nobody. */
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

const mark = 'notice';
/** In bytes. The reference is in the sort key of the timer, which has at most 1,024. */
const maxText = 240;

/** Returns a text as a part of a reference, cut after a whole character. */
function encode(text: string): string {
  let encoded = '';
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character);
    if (encoded.length + next.length > maxText) break;
    encoded += next;
  }
  return encoded;
}

/** Returns the timer that leads to a notice. */
export function noticeTimer(
  { account, mode, kind, at, cause, about, detail, by }: NoticeReference,
  due: Instant,
): Timer {
  const texts = [about, encode(detail), encode(by)];
  const reference = [account, mode, mark, kind, at, cause, ...texts].join('/');
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
  const texts = { detail: decodeURIComponent(detail), by: decodeURIComponent(by) };
  return { account, mode: mode as Mode, kind, at: Number(at), cause, about, ...texts };
}
