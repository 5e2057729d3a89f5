/** Shows the account's settings, and the form that changes them. */
import { html } from 'hono/html';
import { localeNames } from '../../../base/locales.ts';
import { currencies } from '../../../base/money.ts';
import { type Account, plans } from '../../../domain/accounts/account.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { localeOfMails, mailSwitches } from '../../../domain/accounts/mail-settings.ts';
import { noticesOf } from '../../../domain/accounts/notice-settings.ts';
import { instructionNames } from '../../../domain/accounts/payment-instructions.ts';
import { defaultReminderHour } from '../../../domain/accounts/reminder-plan.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { mailKindTexts } from '../invoices/mail-texts.ts';
import { renderButtonLink, renderFailure, renderText } from '../records/record-elements.ts';
import { renderTime } from '../times.ts';
import { renderAccountFields } from './account-form.ts';
import { accountFields, accountTexts } from './account-texts.ts';

export const accountPage: DashboardPage = {
  path: '/settings/account',
  ability: 'account:read',
  handle: async ({ context }) => {
    const account = await readAccount(context.account);
    return account && showAccount(context, account);
  },
};

export const accountFormPage: DashboardPage = {
  path: '/settings/account/edit',
  ability: 'settings:write',
  handle: async ({ context }) => {
    const account = await readAccount(context.account);
    return account && showAccountForm(context, account);
  },
};

function showAccount(context: DashboardContext, account: Account): DashboardView {
  const { name, displayName, paymentQr, payLinkDays, plan } = account;
  const { contact, address, timeZone = 'UTC' } = account;
  const optional = (text: string | undefined) =>
    text === undefined ? html`<span class="soft">${accountTexts.notSet}</span>` : renderText(text);
  const limit = plans[plan].toLocaleString('en-US');
  return {
    title: accountTexts.title,
    section: 'settings',
    aside: context.can('settings:write')
      ? renderButtonLink(context.url('/settings/account/edit'), accountTexts.edit)
      : undefined,
    content: html`<section class="card">${renderDefinitions([
      [accountFields.name.label, isolateDirection(name)],
      [accountFields.displayName.label, optional(displayName)],
      [accountFields.contact.label, optional(contact)],
      [accountFields.address.label, optional(address)],
      [accountFields.timeZone.label, html`${timeZone}`],
      ...instructionNames.map((name): [string, Markup] => [
        accountFields[name].label,
        optional(account[name]),
      ]),
      [accountTexts.preview, renderPreviewLinks(context)],
      [accountFields.paymentQr.label, optional(paymentQr)],
      [
        accountFields.paymentQrAmount.label,
        html`${accountTexts.onOff[account.paymentQrAmount ? 'on' : 'off']}`,
      ],
      [accountFields.upiId.label, optional(account.upiId)],
      [accountTexts.links, payLinkDays === undefined ? accountTexts.never : accountTexts.days(payLinkDays)],
      ...Object.values(mailSwitches).map((name): [string, Markup] => [
        accountFields[name].label,
        html`${accountTexts.onOff[account[name] ? 'on' : 'off']}`,
      ]),
      [accountFields.mailReminders.label, optional(account.mailReminders)],
      [accountFields.mailReminderHour.label, html`${account.mailReminderHour ?? defaultReminderHour}`],
      [accountFields.mailDaysOff.label, optional(account.mailDaysOff)],
      [accountFields.mailName.label, optional(account.mailName)],
      [accountFields.mailReplyTo.label, optional(account.mailReplyTo)],
      [accountFields.mailLocale.label, html`${localeNames[localeOfMails(account)]}`],
      [accountFields.mailNotices.label, html`${noticeNames(account)}`],
      [accountFields.mailNoticesTo.label, optional(account.mailNoticesTo)],
      [accountTexts.plan, accountTexts.planOf(plan, limit)],
      [accountTexts.id, renderId(account.accountId)],
      [accountTexts.created, renderTime(context, account.createdAt)],
    ])}<p class="hint">${accountTexts.scope}</p></section>`,
  };
}

/** Names the mails to the account in words, as the list of mails does. */
const noticeNames = (account: Account): string =>
  noticesOf(account)
    .map((kind) => mailKindTexts[kind])
    .join(', ') || accountTexts.none;

/** Renders links to the payment page with these settings. */
const renderPreviewLinks = ({ url }: Pick<DashboardContext, 'url'>) =>
  html`${currencies.map((currency) => html`<a href="${url(`/payment-page/${currency}`)}">${currency}</a> `)}`;

/** Shows the form of the settings. */
export function showAccountForm(
  context: DashboardContext,
  account: Account,
  failed?: FailedForm,
): DashboardView {
  const content = renderAccountFields(account, failed);
  const action = context.url('/settings/account/edit');
  return {
    title: accountTexts.editTitle,
    section: 'settings',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderForm(context, { action, submit: accountTexts.save, content })}<p class="hint">${accountTexts.scope}</p><p>${renderButtonLink(context.url('/settings/account'), accountTexts.back)}</p></section>`,
  };
}
