/** Defines which notices an account gets, and where they go. A notice is a mail to the merchant. */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import type { AccountSettings } from './account.ts';
import { instructionNames } from './payment-instructions.ts';

/**
 * - `paid`: an invoice was paid.
 * - `disputed`: a payer disputes a payment.
 * - `claimed`: a payer claims to have paid an invoice by bank transfer.
 * - `endpoint`: the service has disabled a webhook endpoint.
 * - `schedule`: a schedule has stopped, because it cannot make its next invoice.
 * - `key`: an API key was created.
 * - `member`: a person has become a member, has another role, or is no member any more.
 * - `payout`: a provider, a setting of payments or a setting of notices was changed.
 * - `sign_in`: a member has signed in with a browser that is new to the dashboard.
 * - `invitation`: a person is invited. This one goes to that person.
 */
export const noticeKinds = [
  'paid',
  'disputed',
  'claimed',
  'endpoint',
  'schedule',
  'key',
  'member',
  'payout',
  'sign_in',
  'invitation',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Whether a kind of mails is one of notices. */
export const isNoticeKind = (kind: string): kind is NoticeKind => noticeKinds.some((each) => each === kind);

/** The kinds of an account that has chosen none. A busy account would get hundreds of the others. */
export const defaultNotices: readonly NoticeKind[] = noticeKinds.filter((kind) => kind !== 'paid');

/** What the setting holds if the account gets no notices. */
const none = 'none';

export type NoticeSettings = Pick<AccountSettings, 'mailNotices' | 'mailNoticesTo'>;

/** The settings that decide who gets which notices. */
export const noticeSettings = [
  'mailNotices',
  'mailNoticesTo',
] as const satisfies readonly (keyof NoticeSettings)[];

/** The settings that decide where money goes, or who learns of it. A change of one causes a notice. */
export const payoutSettings = [
  ...instructionNames,
  'paymentQr',
  'paymentQrAmount',
  'upiId',
  ...noticeSettings,
] as const satisfies readonly (keyof AccountSettings)[];
export type PayoutSetting = (typeof payoutSettings)[number];

/** Returns the kinds that an account gets. */
export function noticesOf({ mailNotices }: Pick<NoticeSettings, 'mailNotices'>): readonly NoticeKind[] {
  if (mailNotices === undefined) return defaultNotices;
  return parseNotices(mailNotices) ?? [];
}

/** Reads kinds, such as `key, payout`. `none` is none of them. Undefined: the text is not such a list. */
export function parseNotices(text: string): readonly NoticeKind[] | undefined {
  const trimmed = text.trim();
  const parts = trimmed === '' || trimmed === none ? [] : trimmed.split(',').map((part) => part.trim());
  return areNotices(parts) ? noticeKinds.filter((kind) => parts.includes(kind)) : undefined;
}

/** Returns kinds as the account stores them. Null: those of the default, which are not stored. */
export function formatNotices(kinds: readonly NoticeKind[]): string | null {
  const text = noticeKinds.filter((kind) => kinds.includes(kind)).join(', ');
  return text === defaultNotices.join(', ') ? null : text || none;
}

const areNotices = (kinds: readonly string[]): boolean =>
  new Set(kinds).size === kinds.length && kinds.every((kind) => noticeKinds.some((each) => each === kind));

/** The settings in responses. */
export const noticeFields = {
  notices: /* @__PURE__ */ v.array(/* @__PURE__ */ v.picklist(noticeKinds)),
  noticesTo: /* @__PURE__ */ v.nullable(/* @__PURE__ */ v.string()),
} as const;

const noticesMessage = `mail.notices must be a list of different kinds: ${noticeKinds.join(', ')}.`;
const noticesToMessage = `mail.noticesTo must be one email address of at most ${maxEmailLength} characters, such as shop@example.bt.`;

/** The settings in requests. Null restores the default. */
export const noticeChangeFields = () => ({
  notices: v.nullish(
    v.pipe(
      v.array(v.picklist(noticeKinds, noticesMessage), noticesMessage),
      v.maxLength(noticeKinds.length, noticesMessage),
      v.check<NoticeKind[], string>(areNotices, noticesMessage),
    ),
  ),
  noticesTo: v.nullish(v.pipe(v.string(noticesToMessage), v.check(isEmail, noticesToMessage))),
});
