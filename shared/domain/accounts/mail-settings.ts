/** Defines the settings of an account's mails: which are sent, and what they say about their sender. */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { type Locale, locales } from '../../base/locales.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import type { AccountSettings } from './account.ts';

/** The kinds of mails to payers, and the setting that switches each on. Each is off until somebody switches it on. */
export const mailSwitches = { invoice: 'mailInvoice', receipt: 'mailReceipt' } as const satisfies Readonly<
  Record<string, keyof AccountSettings>
>;
export type MailKind = keyof typeof mailSwitches;
export const mailKinds = Object.keys(mailSwitches) as readonly MailKind[];

/** The settings of mails. */
export type MailSettings = Pick<
  AccountSettings,
  'mailName' | 'mailReplyTo' | 'mailLocale' | (typeof mailSwitches)[MailKind]
>;

/** Whether the account sends mails of a kind. */
export const isMailOn = (settings: MailSettings, kind: MailKind): boolean =>
  settings[mailSwitches[kind]] === true;

/** The settings in responses. */
export const mailSettingsSchema = /* @__PURE__ */ v.strictObject({
  invoice: v.boolean(),
  receipt: v.boolean(),
  senderName: v.nullable(v.string()),
  replyTo: v.nullable(v.string()),
  locale: v.picklist(locales),
});

export type ShownMailSettings = v.InferOutput<typeof mailSettingsSchema>;

/** The maximum number of characters of the sender's name. */
const maxName = 100;
const switchMessage = (kind: MailKind) => `mail.${kind} must be true or false.`;
const replyToMessage = `mail.replyTo must be one email address of at most ${maxEmailLength} characters, such as shop@example.bt.`;
const localeMessage = `mail.locale must be one of ${locales.join(', ')}.`;

/** The settings in requests: those to change. Null restores the default. */
export const mailSettingsChangeSchema = /* @__PURE__ */ createChangeSchema();

export type MailSettingsChange = v.InferOutput<typeof mailSettingsChangeSchema>;

function createChangeSchema() {
  return v.strictObject({
    invoice: v.nullish(v.boolean(switchMessage('invoice'))),
    receipt: v.nullish(v.boolean(switchMessage('receipt'))),
    senderName: v.nullish(
      v.pipe(typedText('mail.senderName', maxName), refuseHiddenCharacters('mail.senderName', 'line')),
    ),
    replyTo: v.nullish(v.pipe(v.string(replyToMessage), v.check(isEmail, replyToMessage))),
    locale: v.nullish(v.picklist(locales, localeMessage)),
  });
}

/** Returns the settings as the API shows them. */
export function showMailSettings(settings: MailSettings): ShownMailSettings {
  return {
    invoice: isMailOn(settings, 'invoice'),
    receipt: isMailOn(settings, 'receipt'),
    senderName: settings.mailName ?? null,
    replyTo: settings.mailReplyTo ?? null,
    locale: localeOfMails(settings),
  };
}

/** Returns the language of mails about invoices that have none. */
export const localeOfMails = ({ mailLocale }: Pick<MailSettings, 'mailLocale'>): Locale =>
  locales.find((locale) => locale === mailLocale) ?? 'en';

/** Returns a change as settings. False and null remove a setting. */
export function toSettingsChange({ senderName, replyTo, locale, ...switches }: MailSettingsChange): {
  readonly [Name in keyof MailSettings]?: MailSettings[Name] | null;
} {
  const switched = Object.entries(switches).flatMap(([kind, isOn]) =>
    isOn === undefined ? [] : [[mailSwitches[kind as MailKind], isOn || null]],
  );
  return {
    ...Object.fromEntries(switched),
    ...(senderName !== undefined && { mailName: senderName }),
    ...(replyTo !== undefined && { mailReplyTo: replyTo }),
    ...(locale !== undefined && { mailLocale: locale }),
  };
}
