/** Defines and reads the options that change an account's settings of payment pages and mails. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isEmail } from '../shared/base/email.ts';
import { locales } from '../shared/base/locales.ts';
import type { Currency } from '../shared/base/money.ts';
import {
  type AccountSettings,
  arePaymentInstructions,
  isContact,
  isPostalAddress,
  isQrText,
  isTimeZone,
  isUpiId,
  maxAddress,
  maxContact,
  maxInstructions,
  maxPayLinkDays,
  maxQrBytes,
  parsePayLinkDays,
  qrAmountProblem,
  type SettingsChange,
} from '../shared/domain/accounts/account.ts';
import { formatNotices, noticeKinds, parseNotices } from '../shared/domain/accounts/notice-settings.ts';
import {
  firstReminderDay,
  formatDaysOff,
  formatReminderDays,
  lastReminderDay,
  maxReminders,
  parseDaysOff,
  parseReminderDays,
} from '../shared/domain/accounts/reminder-plan.ts';
import {
  CommandError,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  readName,
  requireTypedText,
  usageError,
} from './command.ts';

/** Maps the name of each option to the setting that it changes. */
const settings = {
  'display-name': 'displayName',
  contact: 'contact',
  address: 'address',
  'time-zone': 'timeZone',
  'payment-instructions': 'paymentInstructions',
  'payment-instructions-btn': 'paymentInstructionsBtn',
  'payment-instructions-usd': 'paymentInstructionsUsd',
  'payment-instructions-inr': 'paymentInstructionsInr',
  'payment-qr': 'paymentQr',
  'payment-qr-amount': 'paymentQrAmount',
  'upi-id': 'upiId',
  'pay-link-days': 'payLinkDays',
  'mail-invoice': 'mailInvoice',
  'mail-receipt': 'mailReceipt',
  'mail-refund': 'mailRefund',
  'mail-failure': 'mailFailure',
  'mail-reminders': 'mailReminders',
  'mail-reminder-hour': 'mailReminderHour',
  'mail-days-off': 'mailDaysOff',
  'mail-name': 'mailName',
  'mail-reply-to': 'mailReplyTo',
  'mail-locale': 'mailLocale',
  'mail-notices': 'mailNotices',
  'mail-notices-to': 'mailNoticesTo',
} as const satisfies Record<string, keyof AccountSettings>;

const settingNames = Object.keys(settings) as (keyof typeof settings)[];

const instructionOption = (currency: Currency): OptionSpec => ({
  value: 'TEXT',
  about: `Payment instructions for invoices in ${currency}, in place of the general ones.`,
});

export const settingOptions = {
  'display-name': {
    value: 'NAME',
    about: 'Name of the payee on payment pages. Without it, they name no payee.',
  },
  contact: {
    value: 'TEXT',
    about: 'How payers reach the payee: an email address, a phone number or a link.',
  },
  address: { value: 'TEXT', about: 'Postal address of the payee for receipts. Several lines are allowed.' },
  'time-zone': {
    value: 'ZONE',
    about:
      'Time zone of days and times, for example Asia/Thimphu. Default: UTC. With a seller profile: remit accounts seller.',
  },
  'payment-instructions': {
    value: 'TEXT',
    about: 'How to pay without the page, for example by bank transfer. Several lines are allowed.',
  },
  'payment-instructions-file': { value: 'PATH', about: 'UTF-8 file with the payment instructions.' },
  'payment-instructions-btn': instructionOption('BTN'),
  'payment-instructions-usd': instructionOption('USD'),
  'payment-instructions-inr': instructionOption('INR'),
  'payment-qr': { value: 'TEXT', about: "Text of a QR code for the payer's banking app." },
  'payment-qr-amount': {
    value: 'on|off',
    about:
      'Whether the QR code, a static national QR code, gets amount and reference of each invoice in BTN. Default: off. Try it with the apps of the banks first.',
  },
  'upi-id': {
    value: 'ID',
    about: 'UPI ID for invoices in INR, for example shop@okbank. Their QR code has amount and reference.',
  },
  'pay-link-days': {
    value: 'DAYS',
    about: 'Days after which the payment link of a paid or cancelled invoice expires. Default: never.',
  },
  'mail-invoice': { value: 'on|off', about: 'Whether mails with invoices are sent. Default: off.' },
  'mail-receipt': {
    value: 'on|off',
    about: 'Whether a receipt is mailed when an invoice is paid. Default: off.',
  },
  'mail-refund': {
    value: 'on|off',
    about: 'Whether the customer gets a mail when a refund is made. Default: off.',
  },
  'mail-failure': {
    value: 'on|off',
    about:
      'Whether the customer gets a mail when a payment fails an hour or more after it began. Default: off.',
  },
  'mail-reminders': {
    value: 'DAYS',
    about: 'Days of reminders from the due date, for example -3,0,3,14. Default: no reminders.',
  },
  'mail-reminder-hour': { value: 'HOUR', about: 'Hour of the day of reminders, from 0 to 23. Default: 9.' },
  'mail-days-off': {
    value: 'DAYS',
    about: 'Days of the week without reminders, for example saturday,sunday.',
  },
  'mail-name': {
    value: 'NAME',
    about: 'Name of the sender of mails. Default: the display name, else the legal name.',
  },
  'mail-reply-to': { value: 'ADDRESS', about: 'Email address to which answers to mails go.' },
  'mail-locale': {
    value: locales.join('|'),
    about: 'Language of mails about invoices that have none. Default: en.',
  },
  'mail-notices': {
    value: 'KINDS',
    about: `Mails to the merchant: none, or some of ${noticeKinds.join(', ')}. Default: all but paid.`,
  },
  'mail-notices-to': {
    value: 'ADDRESS',
    about: 'Email address that gets the mails to the merchant. Default: the owners of the account.',
  },
  remove: { value: 'SETTING', about: `Remove a setting: ${settingNames.join(', ')}.` },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/**
 * Reads the change of settings from the options. Null removes a setting.
 * @throws CommandError (usage) if an option is invalid or none is given
 */
export async function readSettingsChange(options: ParsedOptions): Promise<SettingsChange> {
  const change = {
    displayName: readDisplayName(options),
    contact: readContact(options),
    address: readPostalAddress(options),
    timeZone: readTimeZone(options),
    paymentInstructions: await readInstructions(options),
    paymentInstructionsBtn: readInstructionText(options, 'payment-instructions-btn'),
    paymentInstructionsUsd: readInstructionText(options, 'payment-instructions-usd'),
    paymentInstructionsInr: readInstructionText(options, 'payment-instructions-inr'),
    paymentQr: readQrText(options),
    paymentQrAmount: readSwitch(options, 'payment-qr-amount'),
    upiId: readUpiId(options),
    payLinkDays: readPayLinkDays(options),
    mailInvoice: readSwitch(options, 'mail-invoice'),
    mailReceipt: readSwitch(options, 'mail-receipt'),
    mailRefund: readSwitch(options, 'mail-refund'),
    mailFailure: readSwitch(options, 'mail-failure'),
    mailReminders: readReminders(options),
    mailReminderHour: readReminderHour(options),
    mailDaysOff: readDaysOff(options),
    mailName: options.optional('mail-name') === undefined ? undefined : readName(options, 'mail-name'),
    mailReplyTo: readAddress(options, 'mail-reply-to'),
    mailLocale: readLocale(options),
    mailNotices: readNotices(options),
    mailNoticesTo: readAddress(options, 'mail-notices-to'),
  };
  const removed = options.optional('remove');
  if (removed !== undefined) return addRemoval(change, parseChoice('remove', removed, settingNames));
  if (Object.values(change).some((value) => value !== undefined)) return change;
  const all = Object.keys(settingOptions)
    .map((name) => `--${name}`)
    .join(', ');
  throw usageError(`Nothing to change. Use at least one of: ${all}.`);
}

/**
 * Reads the name of the payee, if the option is given.
 * @throws CommandError (usage) if it is not a name
 */
export function readDisplayName(options: ParsedOptions): string | undefined {
  return options.optional('display-name') === undefined ? undefined : readName(options, 'display-name');
}

function addRemoval(change: SettingsChange, name: keyof typeof settings): SettingsChange {
  const setting = settings[name];
  if (change[setting] === undefined) return { ...change, [setting]: null };
  throw usageError(`The options set and remove ${name} at the same time. Use only one of them.`);
}

function readContact(options: ParsedOptions): string | undefined {
  const text = options.optional('contact')?.trim();
  const message = `must be one line of 1 to ${maxContact} characters, without control characters, for example shop@example.com.`;
  return text === undefined ? undefined : requireTypedText('contact', text, isContact, message);
}

function readPostalAddress(options: ParsedOptions): string | undefined {
  const lines = options.optional('address')?.replace(/\r\n?/g, '\n').trim();
  const message = linesMessage(maxAddress);
  return lines === undefined ? undefined : requireTypedText('address', lines, isPostalAddress, message);
}

function readTimeZone(options: ParsedOptions): string | undefined {
  const text = options.optional('time-zone');
  if (text === undefined || isTimeZone(text)) return text;
  throw usageError('--time-zone must be a name of the IANA time zone database, for example Asia/Thimphu.');
}

/** Reads the general payment instructions, which can be in a file. */
async function readInstructions(options: ParsedOptions): Promise<string | undefined> {
  const text = options.optional('payment-instructions');
  const path = options.optional('payment-instructions-file');
  if (text !== undefined && path !== undefined)
    throw usageError('Use either --payment-instructions or --payment-instructions-file, not both.');
  return path === undefined
    ? readInstructionText(options, 'payment-instructions')
    : requireInstructions('payment-instructions-file', await readTextFile(path));
}

/** Reads payment instructions from an option. */
function readInstructionText(options: ParsedOptions, name: string): string | undefined {
  const text = options.optional(name);
  return text === undefined ? undefined : requireInstructions(name, text);
}

/** Converts all line ends to line feeds. */
function requireInstructions(option: string, text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').trim();
  return requireTypedText(option, lines, arePaymentInstructions, linesMessage(maxInstructions));
}

const linesMessage = (max: number) =>
  `must be text of 1 to ${max} characters. Line breaks are allowed, but no tabs or other control characters.`;

function readQrText(options: ParsedOptions): string | undefined {
  const text = options.optional('payment-qr');
  if (text === undefined || isQrText(text)) return text;
  throw usageError(
    `--payment-qr must be one line of text of 1 to ${maxQrBytes} bytes in UTF-8, without control characters.`,
  );
}

/** Null for `off`, which is the default and not stored. */
function readSwitch(options: ParsedOptions, name: string): true | null | undefined {
  const text = options.optional(name);
  if (text === undefined) return undefined;
  return parseChoice(name, text, ['on', 'off']) === 'on' ? true : null;
}

function readReminders(options: ParsedOptions): string | undefined {
  const text = options.optional('mail-reminders');
  const days = text === undefined ? undefined : formatReminderDays(parseReminderDays(text) ?? []);
  if (days !== null) return days;
  throw usageError(
    `--mail-reminders must be 1 to ${maxReminders} different days from ${firstReminderDay} to ${lastReminderDay}, for example -3,0,3,14.`,
  );
}

function readReminderHour(options: ParsedOptions): number | undefined {
  const text = options.optional('mail-reminder-hour');
  if (text === undefined) return undefined;
  if (/^\d{1,2}$/.test(text) && Number(text) <= 23) return Number(text);
  throw usageError('--mail-reminder-hour must be a whole number from 0 to 23.');
}

function readDaysOff(options: ParsedOptions): string | undefined {
  const text = options.optional('mail-days-off');
  const days = text === undefined ? undefined : formatDaysOff(parseDaysOff(text) ?? []);
  if (days !== null) return days;
  throw usageError(
    '--mail-days-off must be one to six different days of the week, for example saturday,sunday.',
  );
}

function readAddress(options: ParsedOptions, name: string): string | undefined {
  const text = options.optional(name);
  if (text === undefined || isEmail(text)) return text;
  throw usageError(`--${name} must be one email address, for example shop@example.com.`);
}

/** Null for the default, which is not stored. */
function readNotices(options: ParsedOptions): string | null | undefined {
  const text = options.optional('mail-notices');
  if (text === undefined) return undefined;
  const kinds = parseNotices(text);
  if (kinds && text.trim() !== '') return formatNotices(kinds);
  throw usageError(`--mail-notices must be none, or different kinds of ${noticeKinds.join(',')}.`);
}

function readLocale(options: ParsedOptions): string | undefined {
  const text = options.optional('mail-locale');
  return text === undefined ? undefined : parseChoice('mail-locale', text, locales);
}

function readUpiId(options: ParsedOptions): string | undefined {
  const text = options.optional('upi-id');
  if (text === undefined || isUpiId(text)) return text;
  throw usageError(
    '--upi-id must be a UPI ID of letters, digits and . - _ with an @, for example shop@okbank.',
  );
}

/**
 * Checks that settings which belong together fit after a change.
 * @throws CommandError (usage) that names what is wrong
 */
export function requireFittingSettings(present: AccountSettings, change: SettingsChange): void {
  const settingAfter = <Name extends 'paymentQr' | 'paymentQrAmount'>(name: Name) =>
    (change[name] === undefined ? present[name] : change[name]) ?? undefined;
  const problem = qrAmountProblem({
    paymentQr: settingAfter('paymentQr') as string | undefined,
    paymentQrAmount: settingAfter('paymentQrAmount') as boolean | undefined,
  });
  if (problem) throw usageError(`${problem} Or use --payment-qr-amount off.`);
}

function readPayLinkDays(options: ParsedOptions): number | undefined {
  const text = options.optional('pay-link-days');
  if (text === undefined) return undefined;
  const days = parsePayLinkDays(text);
  if (days !== undefined) return days;
  throw usageError(`--pay-link-days must be a whole number from 1 to ${maxPayLinkDays}.`);
}

/** Reads a UTF-8 file. npm runs scripts in the repository's root, but gives the caller's directory in INIT_CWD. */
async function readTextFile(path: string): Promise<string> {
  const file = resolve(process.env.INIT_CWD ?? '', path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw usageError(`${path} is not UTF-8 text. Save the file as UTF-8.`);
    throw new CommandError(`Cannot read ${path} (${code}). Check the path.`);
  }
}
