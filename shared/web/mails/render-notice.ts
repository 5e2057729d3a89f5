/** Renders a notice, a mail to the merchant: its subject, and the same content as HTML and as text. */
import type { Locale } from '../../base/locales.ts';
import { type Currency, formatAmount } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import { type NoticeKind, payoutSettings } from '../../domain/accounts/notice-settings.ts';
import { toHeaderText } from '../../domain/mails/mail-text.ts';
import { memberChangeOf, operatorName } from '../../domain/mails/notice.ts';
import type { PaymentDispute } from '../../domain/payments/payment.ts';
import { type Role, roles } from '../../domain/users/roles.ts';
import { formatMoment } from '../pages/dates.ts';
import { languageOf } from '../pages/page-language.ts';
import { type MailRow, type RenderedMail, renderContent } from './mail-layout.ts';
import { englishNoticeTexts, type NoticeTexts } from './notice-texts.ts';
import { dzongkhaNoticeTexts } from './notice-texts-dz.ts';
import { hindiNoticeTexts } from './notice-texts-hi.ts';

/** What a notice says. */
export interface NoticeView {
  readonly kind: NoticeKind;
  readonly locale: Locale;
  readonly accountName: string;
  readonly at: Instant;
  readonly timeZone: string | undefined;
  readonly isTest: boolean;
  /** The page of the dashboard that shows what the notice is about. Undefined: the address of the dashboard is not known. */
  readonly url: string | undefined;
  /** What the notice is about: an email address of a member, the name of a key, or an id. */
  readonly about: string | undefined;
  readonly amount: { readonly minor: number; readonly currency: Currency } | undefined;
  readonly dispute: Pick<PaymentDispute, 'status' | 'respondBy'> | undefined;
  /** The role of a member, the cause of a disabled endpoint or a stopped schedule, the browser of a sign-in, or the settings that changed. */
  readonly detail: string | undefined;
  /** Who made the change. `operator` is no name. */
  readonly by: string | undefined;
}

const noticeTexts: Readonly<Record<Locale, NoticeTexts>> = {
  en: englishNoticeTexts,
  dz: dzongkhaNoticeTexts,
  hi: hindiNoticeTexts,
};

/** Renders a notice. */
export function renderNotice(view: NoticeView): RenderedMail {
  const { kind, locale, accountName, isTest, url, amount } = view;
  const { texts, tag } = languageOf(locale);
  const own = noticeTexts[locale];
  const mark = isTest ? `${texts.testMode.label}: ` : '';
  const member = kind === 'member' ? memberChangeOf(view.detail ?? '') : undefined;
  const change = member && member.kind !== 'joined' ? member.kind : undefined;
  const title = change ? own.memberTitles[change] : own.titles[kind];
  const content = {
    subject: toHeaderText(`${mark}${title}: ${accountName}`),
    test: isTest ? mark + texts.testMode.explanation : undefined,
    title,
    amount: amount && formatAmount(amount.minor, amount.currency),
    message: undefined,
    rows: rowsOf(view, own, tag),
    note: change ? own.memberChangeNote : own.notes[kind],
    attached: undefined,
    button: url === undefined ? undefined : { name: buttonOf(kind, own), url, address: own.address },
    reason: kind === 'invitation' ? own.invitationReason : own.reason,
    stop: undefined,
  };
  return renderContent(content, tag ?? locale);
}

const buttonOf = (kind: NoticeKind, own: NoticeTexts): string =>
  kind === 'invitation' ? own.accept : own.open;

function rowsOf(view: NoticeView, own: NoticeTexts, tag: string | undefined): readonly MailRow[] {
  const { kind, accountName, at, timeZone, about, dispute, by, detail } = view;
  const { names } = own;
  const moment = (instant: Instant) => formatMoment(instant, timeZone, tag);
  const aboutNames: Readonly<Record<NoticeKind, string>> = {
    paid: names.invoice,
    disputed: names.payment,
    claimed: names.invoice,
    endpoint: names.endpoint,
    schedule: names.schedule,
    key: names.key,
    member: names.member,
    payout: names.provider,
    sign_in: names.member,
    invitation: names.member,
  };
  const rows: (readonly [string, string | undefined])[] = [
    [names.account, accountName],
    [aboutNames[kind], about],
    [names.status, dispute && own.disputes[dispute.status]],
    [names.respondBy, dispute?.respondBy === undefined ? undefined : moment(dispute.respondBy)],
    ...(detail === undefined ? [] : [detailRow(kind, detail, own)]),
    [names.by, by === operatorName ? own.operator : by],
    [names.time, moment(at)],
  ];
  return rows.flatMap(([name, value]): MailRow[] =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
}

function detailRow(
  kind: NoticeKind,
  detail: string,
  { names, roles: roleNames, settings, causes }: NoticeTexts,
): readonly [string, string | undefined] {
  if (kind === 'sign_in') return [names.browser, detail];
  if (kind === 'schedule') return [names.cause, detail];
  if (kind === 'endpoint') return [names.cause, detail === 'gone' ? causes.gone : causes.failing];
  if (kind === 'member' || kind === 'invitation') {
    const change = memberChangeOf(detail);
    const name = kind === 'invitation' ? detail : 'role' in change && change.role;
    const role: Role | undefined = roles.find((each) => each === name);
    return [names.role, role && roleNames[role]];
  }
  const fields = detail.split(',');
  const changed = payoutSettings.filter((setting) => fields.includes(setting));
  return [names.changed, changed.map((setting) => settings[setting]).join(', ') || undefined];
}
