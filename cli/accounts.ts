/** `remit accounts`: account holders, their plans, what their payment page shows, and their end. */
import { type Account, AccountClosedError, plans } from '../shared/accounts/account.ts';
import { modes } from '../shared/ids.ts';
import { type Instant, now, toTimestamp } from '../shared/time.ts';
import { settingOptions, settingsChangeOf } from './account-settings.ts';
import {
  type Command,
  CommandError,
  type Group,
  nameOf,
  type Option,
  type Options,
  oneOf,
  usageError,
} from './command.ts';
import { accountStores, tableHelp } from './table-connection.ts';
import { ask, canAsk } from './terminal.ts';

const planNames = Object.keys(plans) as (keyof typeof plans)[];

const planOption: Option = { value: 'PLAN', about: `one of ${planNames.join(', ')}`, required: true };
export const accountOption: Option = { value: 'ACCOUNT', about: 'its id, acct_…', required: true };

const create: Command = {
  about: 'A new account with a test and a live key, shown this once.',
  options: { name: { value: 'NAME', about: 'what people call it', required: true }, plan: planOption },
  examples: ['npx remit accounts create --name "Druk Shop" --plan standard'],
  run: async (options) => {
    const name = nameOf(options);
    const plan = planOf(options);
    const account = await (await accountStores()).createAccount({ name, plan });
    const rows = [
      ['account', account.accountId],
      ...modes.map((mode) => [`${mode} key`, account.keys[mode]]),
    ];
    return { json: account, table: { rows }, text: 'The keys are shown this once.' };
  },
};

const list: Command = {
  about: 'All accounts, oldest first.',
  examples: ['npx remit accounts list', 'npx remit accounts list --json'],
  run: async () => {
    const accounts = (await (await accountStores()).listAccounts()).map((account) => {
      const { paymentInstructions: _, paymentQr: __, ...others } = shown(account);
      return others;
    });
    const rows = accounts.map((account) => [
      account.accountId,
      account.status,
      account.plan,
      account.createdAt,
      account.name,
    ]);
    return { json: accounts, table: { heads: ['ACCOUNT', 'STATUS', 'PLAN', 'CREATED', 'NAME'], rows } };
  },
};

const setPlan: Command = {
  about: 'Changes the plan; a key that was just refused follows within five seconds.',
  options: { account: accountOption, plan: planOption },
  examples: ['npx remit accounts set-plan --account acct_… --plan enterprise'],
  run: async (options) => {
    const plan = planOf(options);
    const accountId = await openAccount(options);
    await (await accountStores()).setPlan(accountId, plan);
    return { json: { accountId, plan }, text: `${accountId} is on the plan ${plan}.` };
  },
};

const resetLimit: Command = {
  about: "Gives back the whole hour's requests, in both modes; likewise within five seconds.",
  options: { account: accountOption },
  examples: ['npx remit accounts reset-limit --account acct_…'],
  run: async (options) => {
    const accountId = await openAccount(options);
    await (await accountStores()).resetLimit(accountId, now());
    return { json: { accountId }, text: `${accountId} has its whole hour's requests again.` };
  },
};

const show: Command = {
  about: 'An account with all its settings.',
  options: { account: accountOption },
  examples: ['npx remit accounts show --account acct_…'],
  run: async (options) => {
    const account = await readNamed(options);
    const { accountId, displayName, paymentInstructions, paymentQr, closedAt } = account;
    const [first = 'not set', ...further] = paymentInstructions?.split('\n') ?? [];
    const rows = [
      ['account', accountId],
      ['status', statusOf(account)],
      ['name', account.name],
      ['plan', account.plan],
      ['created', toTimestamp(account.createdAt)],
      ...(closedAt === undefined ? [] : [['closed', toTimestamp(closedAt)]]),
      ['display name', displayName ?? 'not set'],
      ['payment QR', paymentQr ?? 'not set'],
      ['payment instructions', first],
      ...further.map((line) => ['', line]),
    ];
    return { json: shown(account), table: { rows } };
  },
};

const update: Command = {
  about: 'Changes what its payment page shows.',
  options: { account: accountOption, ...settingOptions },
  examples: [
    'npx remit accounts update --account acct_… --display-name "Druk Shop" --payment-instructions-file bank.txt',
    'npx remit accounts update --account acct_… --remove payment-qr',
  ],
  run: async (options) => {
    const accountId = options.required('account');
    const change = await settingsChangeOf(options);
    const account = await (await accountStores()).updateSettings(accountId, change);
    if (!account) return unknownAccount(accountId);
    const text = `${accountId} is updated; its payment page follows within half a minute.`;
    return { json: shown(account), text };
  },
};

const close: Command = {
  about: 'Closes an account for good: no key works any more, its payment pages take no payments.',
  details: `What is under way goes on: payments and refunds get their outcome, and webhooks are told of it. Records stay.
It cannot be undone. If it was interrupted, call it again: it goes on where it stopped.`,
  options: {
    account: accountOption,
    yes: { about: 'without a question; needed where nobody can be asked' },
  },
  examples: ['npx remit accounts close --account acct_…', 'npx remit accounts close --account acct_… --yes'],
  run: async (options) => {
    const accountId = options.required('account');
    if (!options.flag('yes')) await requireConfirmation(options);
    const account = await (await accountStores()).closeAccount(accountId, now());
    if (!account) return unknownAccount(accountId);
    return {
      json: shown(account),
      text: `${accountId} is closed. Its keys are refused from the next request on.`,
    };
  },
};

export const accounts: Group = {
  about: 'Account holders, their plans, and what their payment page shows.',
  details: tableHelp,
  commands: { create, list, show, update, 'set-plan': setPlan, 'reset-limit': resetLimit, close },
};

/** The account of `--account`. Throws if there is none. */
export async function existingAccount(options: Options): Promise<string> {
  return (await readNamed(options)).accountId;
}

/** The same, for what is of no use to an account that is closed. */
async function openAccount(options: Options): Promise<string> {
  const { accountId, closedAt } = await readNamed(options);
  if (closedAt !== undefined) throw new AccountClosedError(accountId);
  return accountId;
}

async function readNamed(options: Options): Promise<Account> {
  const accountId = options.required('account');
  return (await (await accountStores()).readAccount(accountId)) ?? unknownAccount(accountId);
}

const planOf = (options: Options) => oneOf('plan', options.required('plan'), planNames);

async function requireConfirmation(options: Options): Promise<void> {
  if (!canAsk()) throw usageError('This cannot be undone: confirm it by --yes.');
  const { accountId, name } = await readNamed(options);
  const typed = await ask(`This closes "${name}" for good. Type the account's id to go on: `);
  if (typed !== accountId) throw new CommandError('That is not its id: nothing was done.');
}

/** An account that is closing was interrupted in that: `accounts close` goes on. */
function statusOf({ closedAt, isClosing }: Account): 'open' | 'closing' | 'closed' {
  if (closedAt === undefined) return 'open';
  return isClosing ? 'closing' : 'closed';
}

function shown(account: Account) {
  const {
    createdAt,
    closedAt,
    isClosing: _,
    displayName,
    paymentInstructions,
    paymentQr,
    ...others
  } = account;
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    ...others,
    status: statusOf(account),
    createdAt: toTimestamp(createdAt),
    closedAt: timestamp(closedAt),
    displayName: displayName ?? null,
    paymentInstructions: paymentInstructions ?? null,
    paymentQr: paymentQr ?? null,
  };
}

function unknownAccount(accountId: string): never {
  throw new CommandError(`There is no account ${accountId}: npx remit accounts list shows all.`);
}
