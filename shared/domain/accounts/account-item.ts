/** Describes the profile of an account. */

import type { Instant } from '../../base/time.ts';
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  count,
  defineItem,
  type Fields,
  flag,
  instant,
  objectOf,
  optional,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import {
  type Account,
  type AccountSettings,
  type Plan,
  type ReplacedNotices,
  settingsOf,
} from './account.ts';

/** The attributes of a profile. */
interface Profile extends AccountSettings {
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: Instant;
  /** The seller profile decides the time zone. */
  readonly hasSeller: boolean | undefined;
  readonly replacedNotices: readonly ReplacedNotices[] | undefined;
  readonly closedAt: Instant | undefined;
  /** All keys are revoked since the account was closed. */
  readonly keysClosed: boolean | undefined;
  readonly sandboxUntil: Instant | undefined;
  readonly maintenance: boolean | undefined;
}

const fields: Fields<Profile> = {
  name: text,
  plan: textOf<Plan>(),
  createdAt: instant,
  hasSeller: optional(flag),
  replacedNotices: optional(
    arrayOf(
      objectOf<ReplacedNotices>({
        mailNotices: optional(text),
        mailNoticesTo: optional(text),
        until: instant,
      }),
    ),
  ),
  closedAt: optional(instant),
  keysClosed: optional(flag),
  sandboxUntil: optional(instant),
  maintenance: optional(flag),
  displayName: optional(text),
  contact: optional(text),
  address: optional(text),
  timeZone: optional(text),
  paymentInstructions: optional(text),
  paymentInstructionsBtn: optional(text),
  paymentInstructionsUsd: optional(text),
  paymentInstructionsInr: optional(text),
  paymentQr: optional(text),
  paymentQrAmount: optional(flag),
  upiId: optional(text),
  payLinkDays: optional(count),
  mailInvoice: optional(flag),
  mailReceipt: optional(flag),
  mailRefund: optional(flag),
  mailFailure: optional(flag),
  mailReminders: optional(text),
  mailReminderHour: optional(count),
  mailDaysOff: optional(text),
  mailName: optional(text),
  mailReplyTo: optional(text),
  mailLocale: optional(text),
  mailNotices: optional(text),
  mailNoticesTo: optional(text),
};

const parseProfile = defineItem(({ pk }) => String(pk).slice('ACCOUNT#'.length), fields);

/** Returns the account whose profile an item is. @throws MalformedItemError */
export function toAccount(accountId: string, item: Item): Account {
  const profile = parseProfile(item);
  const { name, plan, createdAt, hasSeller, closedAt, keysClosed, sandboxUntil, maintenance } = profile;
  const { replacedNotices } = profile;
  return {
    accountId,
    name,
    plan,
    createdAt,
    hasSeller: hasSeller || undefined,
    replacedNotices,
    closedAt,
    isClosing: closedAt !== undefined && keysClosed !== true,
    sandboxUntil,
    isInMaintenance: maintenance === true,
    ...settingsOf(profile),
  };
}
