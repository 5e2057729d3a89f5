/** Renders and reads the form of the account's settings. */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import { isEmail } from '../../../base/email.ts';
import { localeNames } from '../../../base/locales.ts';
import { canonicalJson } from '../../../base/strict-json.ts';
import {
  arePaymentInstructions,
  isContact,
  isName,
  isPostalAddress,
  isQrText,
  isTimeZone,
  isUpiId,
  parsePayLinkDays,
  qrAmountProblem,
  type SeenSettings,
  settingsOf,
} from '../../../domain/accounts/account.ts';
import { localeOfMails, mailSwitches } from '../../../domain/accounts/mail-settings.ts';
import { formatNotices, noticesOf, parseNotices } from '../../../domain/accounts/notice-settings.ts';
import { instructionNames } from '../../../domain/accounts/payment-instructions.ts';
import {
  formatDaysOff,
  formatReminderDays,
  parseDaysOff,
  parseReminderDays,
} from '../../../domain/accounts/reminder-plan.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import { renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import {
  lineOf,
  linesOf,
  type SentFields,
  typedTextError,
  type ValidatedFields,
} from '../input/form-fields.ts';
import { accountFields, accountTexts } from './account-texts.ts';

type FieldName = keyof typeof accountFields;
type SwitchName = (typeof mailSwitches)[keyof typeof mailSwitches];
/** The names of the fields. */
export const accountFieldNames = Object.keys(accountFields) as readonly FieldName[];

/**
 * Validates the fields as the command `remit accounts update` does. An empty field removes the setting.
 * @param account its seller profile, if it has one, decides the time zone
 */
export function readAccountForm(
  fields: SentFields,
  { hasSeller, timeZone: ofSeller }: Pick<SeenSettings, 'hasSeller' | 'timeZone'>,
): ValidatedFields<SeenSettings> {
  const name = lineOf(fields, 'name');
  const displayName = lineOf(fields, 'displayName') || undefined;
  const contact = lineOf(fields, 'contact') || undefined;
  const address = linesOf(fields, 'address') || undefined;
  const timeZone = lineOf(fields, 'timeZone') || undefined;
  const instructions = readInstructionFields(fields);
  const paymentQr = lineOf(fields, 'paymentQr') || undefined;
  const qrAmount = lineOf(fields, 'paymentQrAmount');
  const paymentQrAmount = qrAmount === 'on' || undefined;
  const upiId = lineOf(fields, 'upiId') || undefined;
  const daysText = lineOf(fields, 'payLinkDays');
  const payLinkDays = parsePayLinkDays(daysText);
  const mails = readMailFields(fields);
  const messages: Record<FieldName, string | undefined> = {
    name: typedTextError(name, isName, accountFields.name),
    displayName: typedTextError(displayName, isName, accountFields.displayName),
    contact: typedTextError(contact, isContact, accountFields.contact),
    address: typedTextError(address, isPostalAddress, accountFields.address),
    timeZone:
      hasSeller && timeZone !== ofSeller
        ? accountTexts.zoneOfSeller
        : messageUnless('timeZone', timeZone === undefined || isTimeZone(timeZone)),
    ...instructions.messages,
    paymentQr: messageUnless('paymentQr', paymentQr === undefined || isQrText(paymentQr)),
    paymentQrAmount:
      messageUnless('paymentQrAmount', qrAmount in accountTexts.onOff) ??
      qrAmountProblem({ paymentQr, paymentQrAmount }),
    upiId: messageUnless('upiId', upiId === undefined || isUpiId(upiId)),
    payLinkDays: messageUnless('payLinkDays', daysText === '' || payLinkDays !== undefined),
    ...mails.messages,
  };
  const errors = Object.fromEntries(
    Object.entries(messages).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const payee = { name, displayName, contact, address, timeZone, hasSeller };
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return {
    ok: true,
    output: {
      ...payee,
      ...instructions.settings,
      paymentQr,
      paymentQrAmount,
      upiId,
      payLinkDays,
      ...mails.settings,
    },
  };
}

/** Reads the general payment instructions and those of each currency. */
function readInstructionFields(fields: SentFields) {
  const settings = byName(instructionNames, (name) => linesOf(fields, name) || undefined);
  const messages = byName(instructionNames, (name) =>
    typedTextError(settings[name], arePaymentInstructions, accountFields[name]),
  );
  return { settings, messages };
}

/** Returns a value for each name. */
const byName = <Name extends string, Value>(names: readonly Name[], toValue: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<Name, Value>;

/** Reads the settings of mails. */
function readMailFields(fields: SentFields) {
  const mailName = lineOf(fields, 'mailName') || undefined;
  const mailReplyTo = lineOf(fields, 'mailReplyTo') || undefined;
  const reminders = parseReminderDays(lineOf(fields, 'mailReminders'));
  const hour = lineOf(fields, 'mailReminderHour');
  const isHour = /^\d{1,2}$/.test(hour) && Number(hour) <= 23;
  const daysOff = parseDaysOff(lineOf(fields, 'mailDaysOff'));
  const locale = lineOf(fields, 'mailLocale');
  const notices = parseNotices(lineOf(fields, 'mailNotices'));
  const mailNoticesTo = lineOf(fields, 'mailNoticesTo') || undefined;
  const switchNames: readonly SwitchName[] = Object.values(mailSwitches);
  return {
    settings: {
      ...byName(switchNames, (name) => lineOf(fields, name) === 'on' || undefined),
      mailReminders: formatReminderDays(reminders ?? []) ?? undefined,
      mailReminderHour: isHour ? Number(hour) : undefined,
      mailDaysOff: formatDaysOff(daysOff ?? []) ?? undefined,
      mailName,
      mailReplyTo,
      // English is the default, which is not stored.
      mailLocale: locale === 'en' ? undefined : locale,
      mailNotices: formatNotices(notices ?? []) ?? undefined,
      mailNoticesTo,
    },
    messages: {
      ...byName(switchNames, (name) => messageUnless(name, lineOf(fields, name) in accountTexts.onOff)),
      mailReminders: messageUnless('mailReminders', reminders !== undefined),
      mailReminderHour: messageUnless('mailReminderHour', hour === '' || isHour),
      mailDaysOff: messageUnless('mailDaysOff', daysOff !== undefined),
      mailName: typedTextError(mailName, isName, accountFields.mailName),
      mailReplyTo: messageUnless('mailReplyTo', mailReplyTo === undefined || isEmail(mailReplyTo)),
      mailLocale: messageUnless('mailLocale', locale in localeNames),
      mailNotices: messageUnless('mailNotices', notices !== undefined),
      mailNoticesTo: messageUnless('mailNoticesTo', mailNoticesTo === undefined || isEmail(mailNoticesTo)),
    },
  };
}

const messageUnless = (field: FieldName, isValid: boolean): string | undefined =>
  isValid ? undefined : accountFields[field].message;

/** Returns the settings that the form can change. */
export function formSettingsOf(account: SeenSettings): SeenSettings {
  return { name: account.name, hasSeller: account.hasSeller, ...settingsOf(account) };
}

/** Returns a short text that differs if any setting differs. The form carries it. */
export function fingerprintOfSettings(settings: SeenSettings): string {
  const text = canonicalJson(formSettingsOf(settings));
  return createHash('sha256').update(text).digest('base64url');
}

/** Renders the time zone that the user cannot change here. */
function renderZoneOfSeller({ timeZone = '' }: SeenSettings, error: string | undefined): Markup {
  const { label } = accountFields.timeZone;
  const shown = { value: timeZone, hint: accountTexts.zoneOfSeller, isReadOnly: true };
  return renderField({ name: 'timeZone', label, error, ...shown });
}

/** Renders the fields of the form, with the values that the user typed or the present settings. */
export function renderAccountFields(present: SeenSettings, failed: FailedForm | undefined): Markup {
  const typed = failed?.fields;
  const errors = failed?.failure.errors ?? {};
  const shown = { ...present, mailNotices: noticesOf(present).join(', ') };
  const field = (name: FieldName, type?: 'textarea' | 'number') => {
    const { label, hint } = accountFields[name];
    const value = typed?.get(name) ?? String(shown[name] ?? '');
    return renderField({ name, label, hint, value, error: errors[name], ...(type && { type }) });
  };
  return html`${renderHiddenInput('seen', seenVersion(failed, fingerprintOfSettings(present)))}${field('name')}
${field('displayName')}
${field('contact')}
${field('address', 'textarea')}
${present.hasSeller ? renderZoneOfSeller(present, errors.timeZone) : field('timeZone')}
${instructionNames.map(
  (name) => html`${field(name, 'textarea')}
`,
)}${field('paymentQr')}
${renderSelect({
  name: 'paymentQrAmount',
  ...accountFields.paymentQrAmount,
  value: typed?.get('paymentQrAmount') ?? (present.paymentQrAmount ? 'on' : 'off'),
  error: errors.paymentQrAmount,
  choices: Object.entries(accountTexts.onOff),
})}
${field('upiId')}
${field('payLinkDays', 'number')}
${Object.values(mailSwitches).map(
  (name) => html`${renderSelect({
    name,
    ...accountFields[name],
    value: typed?.get(name) ?? (present[name] ? 'on' : 'off'),
    error: errors[name],
    choices: Object.entries(accountTexts.onOff),
  })}
`,
)}${field('mailReminders')}
${field('mailReminderHour', 'number')}
${field('mailDaysOff')}
${field('mailName')}
${field('mailReplyTo')}
${renderSelect({
  name: 'mailLocale',
  ...accountFields.mailLocale,
  value: typed?.get('mailLocale') ?? localeOfMails(present),
  error: errors.mailLocale,
  choices: Object.entries(localeNames),
})}
${field('mailNotices')}
${field('mailNoticesTo')}`;
}
