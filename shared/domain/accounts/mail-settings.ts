/** Defines the settings of an account's mails: which are sent, and what they say about their sender. */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { type Locale, locales } from '../../base/locales.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import type { AccountSettings } from './account.ts';
import { formatNotices, noticeChangeFields, noticeFields, noticesOf } from './notice-settings.ts';
import { createReminderDaysSchema } from './reminder-days.ts';
import {
  areDaysOff,
  defaultReminderHour,
  formatDaysOff,
  formatReminderDays,
  parseDaysOff,
  parseReminderDays,
  type Weekday,
  weekdays,
} from './reminder-plan.ts';

/** The kinds of mails to payers that a setting switches on. Each is off until somebody switches it on. */
export const mailSwitches = {
  invoice: 'mailInvoice',
  receipt: 'mailReceipt',
  refund: 'mailRefund',
  failure: 'mailFailure',
} as const satisfies Readonly<Record<string, keyof AccountSettings>>;
export type SwitchedKind = keyof typeof mailSwitches;
/** The kinds of mails to payers. Reminders are on if the account has days for them. */
export const mailKinds = [
  'invoice',
  'receipt',
  'part_receipt',
  'reminder',
  'refund',
  'credit_note',
  'failure',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** The setting that switches a kind on. Two kinds have the setting of another one. */
const switchOf: Readonly<Record<Exclude<MailKind, 'reminder'>, (typeof mailSwitches)[SwitchedKind]>> = {
  ...mailSwitches,
  part_receipt: mailSwitches.receipt,
  credit_note: mailSwitches.refund,
};

/** The settings of mails. */
export type MailSettings = Pick<
  AccountSettings,
  | 'mailName'
  | 'mailReplyTo'
  | 'mailLocale'
  | 'mailNotices'
  | 'mailNoticesTo'
  | 'mailReminders'
  | 'mailReminderHour'
  | 'mailDaysOff'
  | (typeof mailSwitches)[SwitchedKind]
>;

/** Whether the account sends mails of a kind. */
export const isMailOn = (settings: MailSettings, kind: MailKind): boolean =>
  kind === 'reminder' ? settings.mailReminders !== undefined : settings[switchOf[kind]] === true;

/**
 * Whether somebody of the account can send a mail of a kind. A reminder that somebody asks for needs no days: it is the invoice once more,
 * so an account that sends invoices can send it.
 */
export const isMailSendable = (settings: MailSettings, kind: MailKind): boolean =>
  isMailOn(settings, kind) || (kind === 'reminder' && isMailOn(settings, 'invoice'));

/** The settings in responses. */
export const mailSettingsSchema = /* @__PURE__ */ v.strictObject({
  invoice: v.boolean(),
  receipt: v.boolean(),
  refund: v.boolean(),
  failure: v.boolean(),
  reminders: v.array(v.pipe(v.number(), v.integer())),
  reminderHour: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(23)),
  daysOff: v.array(v.picklist(weekdays)),
  senderName: v.nullable(v.string()),
  replyTo: v.nullable(v.string()),
  locale: v.picklist(locales),
  ...noticeFields,
});

export type ShownMailSettings = v.InferOutput<typeof mailSettingsSchema>;

/** The maximum number of characters of the sender's name. */
const maxName = 100;
const switchMessage = (kind: SwitchedKind) => `mail.${kind} must be true or false.`;
const hourMessage = 'mail.reminderHour must be a whole number from 0 to 23.';
const daysOffMessage = `mail.daysOff must be a list of at most six different days: ${weekdays.join(', ')}.`;
const replyToMessage = `mail.replyTo must be one email address of at most ${maxEmailLength} characters, such as shop@example.bt.`;
const localeMessage = `mail.locale must be one of ${locales.join(', ')}.`;

/** The settings in requests: those to change. Null restores the default. */
export const mailSettingsChangeSchema = /* @__PURE__ */ createChangeSchema();

export type MailSettingsChange = v.InferOutput<typeof mailSettingsChangeSchema>;

function createChangeSchema() {
  return v.strictObject({
    invoice: v.nullish(v.boolean(switchMessage('invoice'))),
    receipt: v.nullish(v.boolean(switchMessage('receipt'))),
    refund: v.nullish(v.boolean(switchMessage('refund'))),
    failure: v.nullish(v.boolean(switchMessage('failure'))),
    reminders: v.nullish(createReminderDaysSchema('mail.reminders')),
    reminderHour: v.nullish(
      v.pipe(
        v.number(hourMessage),
        v.integer(hourMessage),
        v.minValue(0, hourMessage),
        v.maxValue(23, hourMessage),
      ),
    ),
    daysOff: v.nullish(
      v.pipe(
        v.array(v.picklist(weekdays, daysOffMessage), daysOffMessage),
        v.maxLength(weekdays.length - 1, daysOffMessage),
        v.check<Weekday[], string>(areDaysOff, daysOffMessage),
      ),
    ),
    senderName: v.nullish(
      v.pipe(typedText('mail.senderName', maxName), refuseHiddenCharacters('mail.senderName', 'line')),
    ),
    replyTo: v.nullish(v.pipe(v.string(replyToMessage), v.check(isEmail, replyToMessage))),
    locale: v.nullish(v.picklist(locales, localeMessage)),
    ...noticeChangeFields(),
  });
}

/** Returns the settings as the API shows them. */
export function showMailSettings(settings: MailSettings): ShownMailSettings {
  return {
    invoice: isMailOn(settings, 'invoice'),
    receipt: isMailOn(settings, 'receipt'),
    refund: isMailOn(settings, 'refund'),
    failure: isMailOn(settings, 'failure'),
    reminders: [...(parseReminderDays(settings.mailReminders ?? '') ?? [])],
    reminderHour: settings.mailReminderHour ?? defaultReminderHour,
    daysOff: [...(parseDaysOff(settings.mailDaysOff ?? '') ?? [])],
    senderName: settings.mailName ?? null,
    replyTo: settings.mailReplyTo ?? null,
    locale: localeOfMails(settings),
    notices: [...noticesOf(settings)],
    noticesTo: settings.mailNoticesTo ?? null,
  };
}

/** The language of mails if the account names none. */
const defaultLocale: Locale = 'en';

/** Returns the language of mails about invoices that have none. */
export const localeOfMails = ({ mailLocale }: Pick<MailSettings, 'mailLocale'>): Locale =>
  locales.find((locale) => locale === mailLocale) ?? defaultLocale;

/** Returns a change as settings. False, null and a default remove a setting, so an account that is sent back changes nothing. */
export function toSettingsChange({
  senderName,
  replyTo,
  locale,
  reminders,
  reminderHour,
  daysOff,
  notices,
  noticesTo,
  ...switches
}: MailSettingsChange): {
  readonly [Name in keyof MailSettings]?: MailSettings[Name] | null;
} {
  const switched = Object.entries(switches).flatMap(([kind, isOn]) =>
    isOn === undefined ? [] : [[mailSwitches[kind as SwitchedKind], isOn || null]],
  );
  return {
    ...Object.fromEntries(switched),
    ...(reminders !== undefined && { mailReminders: formatReminderDays(reminders ?? []) }),
    ...(reminderHour !== undefined && {
      mailReminderHour: reminderHour === defaultReminderHour ? null : reminderHour,
    }),
    ...(daysOff !== undefined && { mailDaysOff: formatDaysOff(daysOff ?? []) }),
    ...(senderName !== undefined && { mailName: senderName }),
    ...(replyTo !== undefined && { mailReplyTo: replyTo }),
    ...(locale !== undefined && { mailLocale: locale === defaultLocale ? null : locale }),
    ...(notices !== undefined && { mailNotices: notices && formatNotices(notices) }),
    ...(noticesTo !== undefined && { mailNoticesTo: noticesTo }),
  };
}
