/** Defines accounts, their plans, settings and API keys, and validates the texts of settings. */

import type { AuditOrigin } from '../../base/audit-origin.ts';
import type { Mode } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { MalformedItemError } from '../../store/stored-fields.ts';
import type { Permission } from '../auth/permissions.ts';
import type { ApiVersion } from '../versions/versions.ts';
import { MerchantQrError, withPayment } from './merchant-qr.ts';
import { type InstructionSettings, instructionNames } from './payment-instructions.ts';

/** Requests per clock hour. All keys of an account in one mode share this limit. */
export const plans = { standard: 1000, enterprise: 5000 } as const;

export type Plan = keyof typeof plans;

/**
 * The maximum number of keys per account and mode that are neither revoked nor expired. A key that another key has replaced
 * does not count. So a key can be rolled over at the limit. As many replaced keys can be usable.
 */
export const maxUsableKeys = 10;
/** The maximum number of characters of the note of an API key. */
export const maxNote = 500;

/** The account holder's settings for the payment page and for mails; undefined: not set. */
export interface AccountSettings extends InstructionSettings {
  /** The payee's name, as payers know it. */
  readonly displayName: string | undefined;
  /** How payers reach the payee: an e-mail address, a telephone number or a link. */
  readonly contact: string | undefined;
  /** The payee's postal address, for receipts. Lines end with a line feed. */
  readonly address: string | undefined;
  /** The time zone of days and times: an IANA name. Undefined: UTC. The seller profile decides it if the account has one. */
  readonly timeZone: string | undefined;
  /** The text of a QR code that the app of a payer's bank can read. */
  readonly paymentQr: string | undefined;
  /** Whether the QR code of an invoice in BTN gets its amount and reference. `paymentQr` is a merchant's static code then. */
  readonly paymentQrAmount: boolean | undefined;
  /** The UPI id (virtual payment address) that receives payments of invoices in INR. */
  readonly upiId: string | undefined;
  /** The days after which the payment link of a paid or cancelled invoice expires. */
  readonly payLinkDays: number | undefined;
  /** Whether mails with invoices are sent. */
  readonly mailInvoice: boolean | undefined;
  /** Whether mails with receipts are sent. */
  readonly mailReceipt: boolean | undefined;
  /** Whether mails about refunds are sent. */
  readonly mailRefund: boolean | undefined;
  /** Whether mails about payments that fail late are sent. */
  readonly mailFailure: boolean | undefined;
  /** The days of reminders from the due date, such as `-3, 0, 14`. Undefined: none are sent. */
  readonly mailReminders: string | undefined;
  /** The hour of the day at which reminders go out. Undefined: 9. */
  readonly mailReminderHour: number | undefined;
  /** The days of the week without reminders, such as `sunday, saturday`. */
  readonly mailDaysOff: string | undefined;
  /** What readers of mails see as the sender. Undefined: the payee, else the seller. */
  readonly mailName: string | undefined;
  /** The address of answers to mails. */
  readonly mailReplyTo: string | undefined;
  /** The language of mails about invoices that have none. Undefined: English. */
  readonly mailLocale: string | undefined;
  /** The kinds of notices to the merchant, such as `key, payout`, or `none`. Undefined: those of the default. */
  readonly mailNotices: string | undefined;
  /** The address that gets the notices. Undefined: the owners of the account. */
  readonly mailNoticesTo: string | undefined;
}

/** The names of the settings, which are also the names of their attributes. */
const settingNames = [
  'displayName',
  'contact',
  'address',
  'timeZone',
  ...instructionNames,
  'paymentQr',
  'paymentQrAmount',
  'upiId',
  'payLinkDays',
  'mailInvoice',
  'mailReceipt',
  'mailRefund',
  'mailFailure',
  'mailReminders',
  'mailReminderHour',
  'mailDaysOff',
  'mailName',
  'mailReplyTo',
  'mailLocale',
  'mailNotices',
  'mailNoticesTo',
] as const satisfies readonly (keyof AccountSettings)[];

const mailSettingNames = settingNames.filter((name) => name.startsWith('mail'));

/** The attributes of the profile that a change of the settings of mails alone names. */
export const mailSettingAttributes: readonly string[] = ['pk', 'sk', ...mailSettingNames, 'replacedNotices'];

/** The attributes of the profile that a change of the seller profile names. */
export const sellerSettingAttributes: readonly string[] = ['pk', 'sk', 'timeZone', 'hasSeller'];

/** The attributes of the profile that a change of settings names. `closedAt` and `hasSeller` are only compared. */
export const settingAttributes: readonly string[] = [
  'pk',
  'sk',
  'name',
  ...settingNames,
  'replacedNotices',
  'closedAt',
  'hasSeller',
];

/** Returns the settings of an account, or of its item, each with undefined if it is not set. */
export function settingsOf(account: Partial<AccountSettings>): AccountSettings {
  return Object.fromEntries(settingNames.map((name) => [name, account[name]])) as unknown as AccountSettings;
}

/** Returns the settings with null in place of undefined. */
export function settingsOrNull(account: AccountSettings) {
  const entries = settingNames.map((name) => [name, account[name] ?? null]);
  return Object.fromEntries(entries) as { [Name in keyof AccountSettings]-?: AccountSettings[Name] | null };
}

/** Settings to change. Null removes a setting. The name cannot be removed. */
export type SettingsChange = {
  readonly [Name in keyof AccountSettings]?: AccountSettings[Name] | null;
} & { readonly name?: string };

/** The settings that a user has seen. A change can require that they still apply. */
export type SeenSettings = AccountSettings & Pick<Account, 'name' | 'hasSeller'>;

/** Settings of notices that another change has replaced. */
export interface ReplacedNotices extends Partial<Pick<AccountSettings, 'mailNotices' | 'mailNoticesTo'>> {
  /** Until then, they count beside those of the account. */
  readonly until: Instant;
}

export interface Account extends AccountSettings {
  readonly accountId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: Instant;
  /** True if the account has a seller profile, which then decides the time zone. Undefined: it has none. */
  readonly hasSeller: true | undefined;
  /** The settings of notices that changes of the last day have replaced. */
  readonly replacedNotices: readonly ReplacedNotices[] | undefined;
  /** When the account was closed. A closed account stays closed: it starts no new requests or payments. */
  readonly closedAt: Instant | undefined;
  /** True if closing was interrupted: some keys may still work. */
  readonly isClosing: boolean;
  /** When the sandbox ends. Undefined: the account is not a sandbox. It never changes. */
  readonly sandboxUntil: Instant | undefined;
  /** The service is in maintenance: it accepts no changes. */
  readonly isInMaintenance: boolean;
}

/** What a new account is to be. */
export interface NewAccount {
  readonly name: string;
  readonly plan: Plan;
  /** The name of the payee on payment pages. Without it, the pages name no payee. */
  readonly displayName?: string | undefined;
  /** Who creates it. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
  /** The version of the first keys. Undefined: the first version. */
  readonly apiVersion?: ApiVersion | undefined;
  /** Only the canary uses it. Its webhooks may go to the canary. */
  readonly isCanary?: true;
}

/** A new sandbox with the value of its key, which is not stored. */
export interface CreatedSandbox {
  readonly accountId: string;
  readonly plan: Plan;
  readonly sandboxUntil: Instant;
  readonly keys: { readonly test: string };
}

/** Thrown when an operation needs an account that is not closed. */
export class AccountClosedError extends Error {
  constructor(accountId: string) {
    super(`The account ${accountId} is closed.`);
  }
}

/** Thrown when the time zone of an account is to change that its seller profile decides. */
export class SellerTimeZoneError extends Error {
  constructor(accountId: string) {
    super(`The seller profile of ${accountId} decides its time zone.`);
  }
}

export const maxPayLinkDays = 3650;
/** The maximum number of characters of a contact. */
export const maxContact = 200;
/** The maximum number of characters of a postal address. */
export const maxAddress = 500;
/** The maximum number of characters of payment instructions. */
export const maxInstructions = 2000;
/**
 * The maximum size of a QR code's text in bytes of UTF-8. Bank links and EMV codes are much shorter. A larger code has
 * modules that are too small for a phone to read.
 */
export const maxQrBytes = 400;

/** A key in a list. An error stands in the place of a key that cannot be read. */
export type ListedKey = ApiKey | MalformedItemError;

export interface ApiKey {
  readonly keyId: string;
  readonly mode: Mode;
  readonly name: string;
  /** Free text for the people who manage the keys. */
  readonly note: string | undefined;
  /** The last 4 characters of the key's value. People recognize the key by them. */
  readonly last4: string;
  /** Undefined: all permissions except those that a list must name. */
  readonly permissions: readonly Permission[] | undefined;
  /** The ranges of addresses that may use the key, in canonical form. Undefined: all addresses. */
  readonly allowedAddresses: readonly string[] | undefined;
  /** The version of the API that requests without a version have. It never changes. */
  readonly apiVersion: ApiVersion;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly lastUsedAt: Instant | undefined;
  /** The id of the key that this key replaces. */
  readonly replaces: string | undefined;
  /** The id of the key that replaces this key. */
  readonly replacedBy: string | undefined;
}

/** Returns the status of a key. A key that is both expired and revoked is `revoked`. */
export function apiKeyStatus(
  { expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>,
  now: Instant,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** Checks whether a text can be the name of an account or of a payee: 1 to 100 visible characters. */
export function isName(text: string): boolean {
  return /^[^\p{C}]{1,100}$/u.test(text) && text.trim() !== '';
}

/** Parses a number of days after which payment links expire. Returns undefined if the text is not such a number. */
export function parsePayLinkDays(text: string): number | undefined {
  const days = Number(text);
  return /^\d+$/.test(text) && days >= 1 && days <= maxPayLinkDays ? days : undefined;
}

/**
 * Checks whether a text can be payment instructions. The only invisible characters allowed are line feeds and the
 * characters with which Indic scripts join letters. Others, such as a change of direction, could mislead a payer.
 */
export function arePaymentInstructions(text: string): boolean {
  return isVisibleText(text, maxInstructions, linesPattern);
}

/** Checks whether a text can be a contact: one line of visible characters. */
export function isContact(text: string): boolean {
  return isVisibleText(text, maxContact, linePattern);
}

/** Checks whether a text can be a postal address. The same characters as in payment instructions are allowed. */
export function isPostalAddress(text: string): boolean {
  return isVisibleText(text, maxAddress, linesPattern);
}

/** Checks whether a text is the IANA name of a time zone, such as `Asia/Thimphu`. Offsets are not names. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
}

/** Checks whether a text can be the note of an API key. The same characters as in payment instructions are allowed. */
export function isNote(text: string): boolean {
  return isVisibleText(text, maxNote, linesPattern);
}

/** Checks whether a text can be shown as a QR code: one line of visible characters, at most 400 bytes. */
export function isQrText(text: string): boolean {
  return isVisibleText(text, maxQrBytes, linePattern) && Buffer.byteLength(text) <= maxQrBytes;
}

/** Checks whether a text is a UPI id, such as `shop@okbank`. */
export function isUpiId(text: string): boolean {
  return /^[A-Za-z0-9._-]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}$/.test(text);
}

/** No payment needs more characters in a QR code. */
const longestPayment = { amountMinor: 9_999_999_999_999, currency: 'BTN', reference: 'R7K2-M9QX' } as const;

/**
 * Returns what prevents the QR code from getting the amount of each invoice, or undefined. The payment page shows the code
 * unchanged then.
 */
export function qrAmountProblem({
  paymentQr,
  paymentQrAmount,
}: Partial<Pick<AccountSettings, 'paymentQr' | 'paymentQrAmount'>>): string | undefined {
  if (!paymentQrAmount) return undefined;
  if (paymentQr === undefined) return 'Set the text of your static QR code first.';
  try {
    const filled = withPayment(paymentQr, longestPayment);
    return filled.length > maxQrBytes ? 'The text of the QR code is too long to add an amount.' : undefined;
  } catch (error) {
    if (!(error instanceof MerchantQrError)) throw error;
    return `The text of the QR code is not a static national QR code in BTN. ${error.message}`;
  }
}

const linePattern = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const linesPattern = /^[\n\p{Join_Control}\P{C}]*$/u;

function isVisibleText(text: string, maxCharacters: number, allowed: RegExp): boolean {
  return text.trim() !== '' && [...text].length <= maxCharacters && allowed.test(text);
}
