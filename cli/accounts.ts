/** Defines `remit accounts`: creates, shows, changes, exports and closes accounts. */

import { changedSettings } from '../shared/base/audit-origin.ts';
import { modes } from '../shared/base/ids.ts';
import { currencies } from '../shared/base/money.ts';
import { now, toTimestamp } from '../shared/base/time.ts';
import { plans, SellerTimeZoneError } from '../shared/domain/accounts/account.ts';
import { isMailOn, localeOfMails, mailKinds } from '../shared/domain/accounts/mail-settings.ts';
import { noticesOf } from '../shared/domain/accounts/notice-settings.ts';
import { instructionSettings } from '../shared/domain/accounts/payment-instructions.ts';
import { defaultReminderHour } from '../shared/domain/accounts/reminder-plan.ts';
import { newestApiVersion } from '../shared/domain/versions/versions.ts';
import { exportCommand } from './account-export.ts';
import {
  accountHeaders,
  accountOutput,
  accountRow,
  accountStatus,
  listedAccount,
  rowsOfLines,
} from './account-output.ts';
import {
  readDisplayName,
  readSettingsChange,
  requireFittingSettings,
  settingOptions,
} from './account-settings.ts';
import { auditOperation, operatorOrigin } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  readName,
  usageError,
} from './command.ts';
import {
  accountOption,
  readRequestedAccount,
  requireOpenAccount,
  throwUnknownAccount,
} from './requested-account.ts';
import {
  describeSandbox,
  readSandboxDays,
  sandboxDetails,
  sandboxOptions,
  withSandboxDefaults,
} from './sandboxes.ts';
import { sellerCommand } from './seller.ts';
import { loadAccountStores, tableHelp, withDeploymentOptions } from './table-connection.ts';
import { ask, isInteractive } from './terminal.ts';

const planNames = Object.keys(plans) as (keyof typeof plans)[];

const planOption: OptionSpec = { value: 'PLAN', about: `Plan of the account: ${planNames.join(' or ')}.` };
const withoutSandbox = 'Required without --sandbox.';

const create: CliCommand = {
  about: 'Create an account with a test key and a live key. The keys are shown only once.',
  details: sandboxDetails,
  options: {
    name: { value: 'NAME', about: `Name of the account. Payers never see it. ${withoutSandbox}` },
    plan: { ...planOption, about: `${planOption.about} ${withoutSandbox}` },
    'display-name': settingOptions['display-name'],
    ...sandboxOptions,
  },
  examples: [
    'npx remit accounts create --name "Druk Shop" --display-name "Druk Shop" --plan standard',
    'npx remit accounts create --sandbox --days 2',
  ],
  run: async (options) => {
    const days = readSandboxDays(options);
    const withDefaults = days === undefined ? options : withSandboxDefaults(options);
    const name = readName(withDefaults);
    const plan = parsePlan(withDefaults);
    const displayName = readDisplayName(options);
    const origin = await operatorOrigin('account.create');
    const { createAccount, createSandbox } = await loadAccountStores();
    const settings = { name, plan, displayName, origin, apiVersion: newestApiVersion };
    if (days !== undefined) return describeSandbox(await createSandbox({ ...settings, days }));
    const account = await createAccount(settings);
    const rows = [
      ['account', account.accountId],
      ...modes.map((mode) => [`${mode} key`, account.keys[mode]]),
    ];
    const advice = `
Payment pages do not name the payee yet. To show a name, run
npx remit accounts update --account ${account.accountId} --display-name NAME`;
    return {
      json: account,
      table: { rows },
      remark: `The keys are shown only once. Store them in a safe place.${displayName === undefined ? advice : ''}`,
    };
  },
};

const list: CliCommand = {
  about: 'List all accounts, oldest first.',
  examples: ['npx remit accounts list', 'npx remit accounts list --json'],
  run: async () => {
    const accounts = (await (await loadAccountStores()).listAccounts()).map(listedAccount);
    return { json: accounts, table: { headers: accountHeaders, rows: accounts.map(accountRow) } };
  },
};

const setPlan: CliCommand = {
  about: 'Change the plan of an account.',
  details:
    'If a request was just rejected because of the rate limit, the new limit applies within five seconds.',
  options: { account: accountOption, plan: { ...planOption, required: true } },
  examples: ['npx remit accounts set-plan --account acct_… --plan enterprise'],
  run: async (options) => {
    const plan = parsePlan(options);
    const { accountId, plan: before } = await requireOpenAccount(options);
    const changes = changedSettings({ plan: before }, { plan });
    const operation = { action: 'account.set_plan', account: accountId, changes } as const;
    const stores = await loadAccountStores();
    await auditOperation(operation, () => stores.setPlan(accountId, plan));
    return { json: { accountId, plan }, text: `The plan of ${accountId} is now ${plan}.` };
  },
};

const resetLimit: CliCommand = {
  about: 'Reset the rate limit of an account for the current hour, in both modes.',
  details: 'If a request was just rejected because of the rate limit, keys work again within five seconds.',
  options: { account: accountOption },
  examples: ['npx remit accounts reset-limit --account acct_…'],
  run: async (options) => {
    const { accountId } = await requireOpenAccount(options);
    const operation = { action: 'account.reset_limit', account: accountId } as const;
    const stores = await loadAccountStores();
    await auditOperation(operation, () => stores.resetLimit(accountId, now()));
    return { json: { accountId }, text: `The rate limit of ${accountId} is reset for the current hour.` };
  },
};

const show: CliCommand = {
  about: 'Show an account with all its settings.',
  options: { account: accountOption },
  examples: ['npx remit accounts show --account acct_…'],
  run: async (options) => {
    const account = await readRequestedAccount(options);
    const { accountId, displayName, contact, timeZone, paymentQr, payLinkDays, closedAt, sandboxUntil } =
      account;
    const rows = [
      ['account', accountId],
      ['status', accountStatus(account)],
      ['name', account.name],
      ['plan', account.plan],
      ['created', toTimestamp(account.createdAt)],
      ...(sandboxUntil === undefined ? [] : [['sandbox until', toTimestamp(sandboxUntil)]]),
      ...(closedAt === undefined ? [] : [['closed', toTimestamp(closedAt)]]),
      ['display name', displayName ?? 'not set, so payment pages do not name the payee'],
      ['contact', contact ?? 'not set'],
      ...rowsOfLines('address', account.address),
      ['time zone', timeZone ?? 'UTC'],
      ['payment QR', paymentQr ?? 'not set'],
      ['amount in QR', account.paymentQrAmount ? 'on' : 'off'],
      ['UPI ID', account.upiId ?? 'not set'],
      ['payment links', payLinkDays === undefined ? 'never expire' : `expire after ${payLinkDays} days`],
      ['mails', mailKinds.filter((kind) => isMailOn(account, kind)).join(', ') || 'none are sent'],
      ['reminders', account.mailReminders ?? 'none are sent'],
      ['hour of reminders', String(account.mailReminderHour ?? defaultReminderHour)],
      ['days without reminders', account.mailDaysOff ?? 'none'],
      ['sender of mails', account.mailName ?? 'the display name or the legal name'],
      ['answers to mails', account.mailReplyTo ?? 'not set'],
      ['language of mails', localeOfMails(account)],
      ['mails to you', noticesOf(account).join(', ') || 'none are sent'],
      ['address of mails to you', account.mailNoticesTo ?? 'the owners'],
      ...rowsOfLines('payment instructions', account.paymentInstructions),
      ...currencies.flatMap((currency) => {
        const text = account[instructionSettings[currency]];
        return text === undefined ? [] : rowsOfLines(`payment instructions ${currency}`, text);
      }),
    ];
    return { json: accountOutput(account), table: { rows } };
  },
};

const update: CliCommand = {
  about: 'Change the settings of an account for its payment pages and mails.',
  options: { account: accountOption, ...settingOptions },
  examples: [
    'npx remit accounts update --account acct_… --display-name "Druk Shop" --payment-instructions-file bank.txt',
    'npx remit accounts update --account acct_… --remove payment-qr',
  ],
  run: async (options) => {
    const accountId = options.required('account');
    const change = await readSettingsChange(options);
    if (change.paymentQr !== undefined || change.paymentQrAmount !== undefined)
      requireFittingSettings(await readRequestedAccount(options), change);
    const origin = await operatorOrigin('account.update');
    const account = await (await loadAccountStores())
      .updateSettings(accountId, change, { origin })
      .catch((error: unknown) => {
        if (!(error instanceof SellerTimeZoneError)) throw error;
        const command = `npx remit accounts seller --account ${accountId} --time-zone ${change.timeZone ?? 'UTC'}`;
        throw new CommandError(`${error.message} To change it, run ${command}.`);
      });
    if (!account) return throwUnknownAccount(accountId);
    const text = `${accountId} is updated. Its payment pages show the change within 30 seconds.`;
    return { json: accountOutput(account), text };
  },
};

const close: CliCommand = {
  about: 'Close an account permanently. Its keys stop working and its payment pages take no payments.',
  details: `Payments and refunds in progress continue until they succeed or fail, and webhook endpoints receive their events.
All records are kept, except customers and drafts, which are deleted with their personal data.

You cannot reopen a closed account. If the command is interrupted, run it again: it continues where it stopped.`,
  options: {
    account: accountOption,
    yes: { about: 'Skip the confirmation prompt. Required without a terminal.' },
  },
  examples: ['npx remit accounts close --account acct_…', 'npx remit accounts close --account acct_… --yes'],
  run: async (options) => {
    if (!options.flag('yes')) await requireConfirmation(options);
    const { accountId } = await readRequestedAccount(options);
    const operation = { action: 'account.close', account: accountId } as const;
    const stores = await loadAccountStores();
    const { deleteAllCustomers } = await import('../shared/operations/erasure/customers.ts');
    const { deleteAllDrafts } = await import('../shared/operations/erasure/drafts.ts');
    const { endAllSchedules } = await import('../shared/operations/erasure/schedules.ts');
    const account = await auditOperation(operation, async () => {
      const closed = await stores.closeAccount(accountId, now());
      for (const mode of closed ? modes : []) {
        await deleteAllCustomers({ account: accountId, mode });
        await deleteAllDrafts({ account: accountId, mode });
        await endAllSchedules({ account: accountId, mode });
      }
      return closed;
    });
    if (!account) return throwUnknownAccount(accountId);
    return {
      json: accountOutput(account),
      text: `${accountId} is closed. All requests with its keys are now rejected.`,
    };
  },
};

export const accountCommands: CommandGroup = {
  about: 'Manage accounts, their plans and their payment page settings.',
  details: tableHelp,
  commands: withDeploymentOptions({
    create,
    list,
    show,
    update,
    seller: sellerCommand,
    'set-plan': setPlan,
    'reset-limit': resetLimit,
    export: exportCommand,
    close,
  }),
};

const parsePlan = (options: ParsedOptions) => parseChoice('plan', options.required('plan'), planNames);

async function requireConfirmation(options: ParsedOptions): Promise<void> {
  if (!isInteractive()) throw usageError('Closing an account cannot be undone. To confirm, add --yes.');
  const { accountId, name } = await readRequestedAccount(options);
  const typed = await ask(`This closes "${name}" permanently. Type the account ID to continue: `);
  if (typed !== accountId) throw new CommandError('The account ID does not match. Nothing was changed.');
}
