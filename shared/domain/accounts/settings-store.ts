/** Changes the settings of accounts. They are attributes of the account's profile, which is no record with a version. */

import { type AuditOrigin, changedSettings, type SettingChange } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { modes } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { type Account, type SeenSettings, SellerTimeZoneError, type SettingsChange } from './account.ts';
import { readAccount } from './account-store.ts';
import { noticeSettings } from './notice-settings.ts';
import { reminderMarkActions } from './reminder-mark.ts';
import { replacedNoticesAfter } from './replaced-notices.ts';

/** The setting that has the days of reminders. */
const planName = 'mailReminders' satisfies keyof SettingsChange;

/** Who changes settings, and what they have seen. */
interface SettingsOptions {
  /** Undefined: the audit log does not record the change. */
  readonly origin?: AuditOrigin | undefined;
  /** The change is made only if these settings still apply and the account is open. */
  readonly seen?: SeenSettings;
}

/**
 * Changes one or more settings in one transaction, with the entry in the audit log.
 * @returns undefined, with nothing changed, if no account has this id, or if `seen` no longer applies
 * @throws SellerTimeZoneError if the seller profile decides the time zone that is to change
 * @throws Error if other writers change the same settings ten times in between
 */
export async function updateSettings(
  accountId: string,
  change: SettingsChange,
  { origin, seen }: SettingsOptions = {},
): Promise<Account | undefined> {
  const wanted: SettingsChange = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  );
  for (let attempt = 1; attempt <= 10; attempt++) {
    const account = await readAccount(accountId);
    if (!account || (seen && (account.closedAt !== undefined || !stillApplies(seen, account))))
      return undefined;
    const changesZone = wanted.timeZone !== undefined && (wanted.timeZone ?? undefined) !== account.timeZone;
    if (changesZone && account.hasSeller) throw new SellerTimeZoneError(accountId);
    const settingIn = (name: string) => account[name as keyof SettingsChange];
    const before = Object.fromEntries(
      Object.keys({ ...wanted, ...seen, ...(changesZone && { hasSeller: undefined }) }).map((name) => [
        name,
        settingIn(name),
      ]),
    );
    const changes = changedSettings(before, { ...before, ...wanted });
    if (changes.length === 0) return account;
    const owners = modes.map((mode) => ({ account: accountId, mode }));
    const conditions = seen ? ['attribute_not_exists(closedAt)'] : [];
    const kept = keptWith(changes, account);
    const { written } = await writeTransaction([
      replaceSettings(accountId, { ...before, ...kept.before }, { ...wanted, ...kept.after }, conditions),
      ...markWith(accountId, changes, wanted),
      ...entryActions(owners, origin, { resource: accountId, changes, at: now() }),
    ]);
    if (written) return readAccount(accountId);
  }
  throw new Error(`Other writers change the settings of ${accountId} at the same time. Try again.`);
}

/** Returns the actions that tell the relay whether the account sends reminders. None: the change leaves the plan. */
const markWith = (accountId: string, changes: readonly SettingChange[], wanted: SettingsChange) =>
  changes.some(({ field }) => field === planName)
    ? reminderMarkActions(accountId, wanted[planName] != null)
    : [];

/** Returns what a change of the settings of notices keeps of them, beside what it replaces. */
function keptWith(changes: readonly SettingChange[], account: Account) {
  if (!changes.some(({ field }) => noticeSettings.some((name) => name === field))) return {};
  const { mailNotices, mailNoticesTo, replacedNotices } = account;
  return {
    before: { mailNotices, mailNoticesTo, replacedNotices },
    after: { replacedNotices: replacedNoticesAfter(account, now()) },
  };
}

const stillApplies = (seen: SeenSettings, account: Account): boolean =>
  Object.entries(seen).every(([name, value]) => account[name as keyof SeenSettings] === value);

/** Returns the action that changes settings, if they have the values `before`. Null and undefined: not set. */
function replaceSettings(
  accountId: string,
  before: Item,
  after: Item,
  conditions: readonly string[],
): TransactionItem {
  const isSet = (value: unknown) => value !== null && value !== undefined;
  const names = Object.keys(after);
  const set = names.filter((name) => isSet(after[name]));
  const removed = names.filter((name) => !isSet(after[name]));
  const clauses = [
    ...(set.length > 0 ? [`SET ${set.map((name) => `#${name} = :new_${name}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
  ];
  const unchanged = Object.keys(before).map((name) =>
    isSet(before[name]) ? `#${name} = :old_${name}` : `attribute_not_exists(#${name})`,
  );
  const values = Object.fromEntries([
    ...set.map((name) => [`:new_${name}`, after[name]]),
    ...Object.keys(before)
      .filter((name) => isSet(before[name]))
      .map((name) => [`:old_${name}`, before[name]]),
  ]);
  return {
    Update: {
      TableName: env.tableName(),
      Key: tableKeys.account(accountId),
      UpdateExpression: clauses.join(' '),
      ConditionExpression: ['attribute_exists(pk)', ...conditions, ...unchanged].join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(
        Object.keys({ ...before, ...after }).map((name) => [`#${name}`, name]),
      ),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    },
  };
}
