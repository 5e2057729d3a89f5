/** Makes the message of a notice from what is known now, or says why nothing is sent. */
import { env } from '../../base/env.ts';
import { isAccountId, type Owner } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { localeOfMails } from '../../domain/accounts/mail-settings.ts';
import type { NoticeKind } from '../../domain/accounts/notice-settings.ts';
import { settingsThatSend } from '../../domain/accounts/replaced-notices.ts';
import { readNumberedInvoice } from '../../domain/documents/invoice-number-store.ts';
import { amountPaidOf } from '../../domain/invoices/received-money.ts';
import type { Notice } from '../../domain/mails/mail.ts';
import { parseMailAddress, toHeaderText } from '../../domain/mails/mail-text.ts';
import { operatorName } from '../../domain/mails/notice.ts';
import { readPayment } from '../../domain/payments/payment-store.ts';
import { readSchedule } from '../../domain/schedules/schedule-store.ts';
import { accountPath, invitationPath } from '../../domain/users/dashboard-paths.ts';
import { invitationTokenFor } from '../../domain/users/invitation-token.ts';
import { readMembers } from '../../domain/users/member-store.ts';
import { type AccountMembers, emailOf, isTokenOf, openInvitation } from '../../domain/users/members.ts';
import { reasonOfAddress } from './allowed-address.ts';
import { composeMail } from './compose-mail.ts';
import type { Prepared } from './prepare-mail.ts';
import { type NoticeView, renderNotice } from './render-notice.ts';

/** What readers see as the sender of notices. */
const senderName = 'Remit';

/** Makes the message of a notice. @throws MalformedItemError */
export async function prepareNotice(mail: Notice, now: RealTime): Promise<Prepared> {
  const from = parseMailAddress(env.mailFrom() ?? '');
  const to = parseMailAddress(mail.to);
  if (!from) return { skip: 'mail_off' };
  if (!to) return { skip: 'rejected' };
  const [account, members] = await Promise.all([readAccount(mail.account), readMembers(mail.account)]);
  if (!account || account.closedAt !== undefined) return { skip: 'account_closed' };
  if (settingsThatSend({ kind: mail.kind, at: mail.createdAt }, account).length === 0)
    return { skip: 'switched_off' };
  // Everybody can create a sandbox, so its mails go to its members only.
  const isTestOnly = mail.mode === 'test' || account.sandboxUntil !== undefined;
  const refused = await reasonOfAddress(mail, isTestOnly);
  if (refused) return { skip: refused };
  const path = mail.kind === 'invitation' ? await pathOfInvitation(mail, members, now) : pathOf(mail);
  if (path === undefined) return { skip: 'no_link' };
  const rendered = renderNotice(await viewOf(mail, account, members, path));
  const source = await composeMail({
    ...rendered,
    id: mail.id,
    from,
    fromName: toHeaderText(senderName),
    to,
    replyTo: undefined,
    unsubscribeUrl: undefined,
    logo: undefined,
    pdf: undefined,
  });
  return { email: { from, to, source } };
}

async function viewOf(
  mail: Notice,
  account: Account,
  members: AccountMembers,
  path: string,
): Promise<NoticeView> {
  const { kind, detail, mode, createdAt, about } = mail;
  const base = env.dashboardUrl();
  const subject = await subjectOf(mail, members);
  return {
    kind,
    locale: localeOfMails(account),
    accountName: account.name,
    at: createdAt,
    timeZone: account.timeZone,
    isTest: mode === 'test',
    url: base ? `${base}${path}` : undefined,
    about: subject.about ?? about,
    amount: subject.amount,
    dispute: subject.dispute,
    detail: kind === 'key' ? undefined : (subject.detail ?? detail),
    by: nameOf(mail, members),
  };
}

/** Reads what a notice is about. It can be gone by then. */
async function subjectOf(
  mail: Notice,
  members: AccountMembers,
): Promise<Partial<Pick<NoticeView, 'about' | 'amount' | 'dispute' | 'detail'>>> {
  const { kind, about, detail } = mail;
  if (kind === 'paid') {
    const { invoice, number } = await readNumberedInvoice(mail, about);
    const amount = invoice && { minor: amountPaidOf(invoice), currency: invoice.currency };
    return { about: number, amount };
  }
  if (kind === 'claimed') {
    const { invoice, number } = await readNumberedInvoice(mail, about);
    const claim = invoice?.claim;
    return { about: number, amount: claim && { minor: claim.amount, currency: invoice.currency } };
  }
  if (kind === 'disputed') {
    const { record } = await readPayment(mail, about);
    const dispute = record?.dispute;
    return { amount: dispute && { minor: dispute.amount, currency: record.currency }, dispute };
  }
  if (kind === 'schedule') {
    const { record } = await readSchedule(mail, about);
    return { detail: record?.failure?.message };
  }
  if (kind === 'key') return { about: detail === undefined ? about : `${detail} (${about})` };
  if (kind === 'member' || kind === 'sign_in') return { about: emailOf(members, about) };
  // Its reader is the invited person. An account has settings of its own, and a connection the name of its provider.
  return { about: kind === 'invitation' || isAccountId(about) ? '' : about };
}

/** Returns who made a change: the address of a member, the id of a key, or the operator. */
function nameOf({ by, kind, about }: Notice, members: AccountMembers): string | undefined {
  if (by === undefined || kind === 'sign_in' || by === `user:${about}`) return undefined;
  if (by === operatorName) return by;
  const [type, id = ''] = by.split(':');
  return type === 'user' ? (emailOf(members, id) ?? id) : id;
}

const pages: Readonly<Record<Exclude<NoticeKind, 'invitation'>, (about: string) => string>> = {
  paid: (id) => `/invoices/${id}`,
  disputed: (id) => `/payments/${id}`,
  claimed: (id) => `/invoices/${id}`,
  endpoint: (id) => `/webhooks/${id}`,
  schedule: (id) => `/schedules/${id}`,
  key: () => '/settings/keys',
  member: () => '/settings/members',
  payout: (about) => (isAccountId(about) ? '/settings/account' : '/settings/providers'),
  sign_in: () => '/settings/audit-log',
};

/** Returns the page of the dashboard that shows what a notice is about. */
function pathOf({ account, mode, kind, about }: Owner & Pick<Notice, 'kind' | 'about'>): string | undefined {
  return kind === 'invitation' ? undefined : accountPath(account, mode, pages[kind](about));
}

/**
 * Returns the path of an invitation. Undefined: it has ended, or its token is not one that follows from it, so that only the person who
 * made it has the link.
 */
async function pathOfInvitation(
  { account, about }: Notice,
  members: AccountMembers,
  now: RealTime,
): Promise<string | undefined> {
  const invitation = openInvitation(members, about, now);
  if (!invitation || !env.dashboardUrl()) return undefined;
  const token = await invitationTokenFor(account, about);
  return isTokenOf(invitation, token) ? invitationPath(account, token) : undefined;
}
