/** `npm run accounts`: account holders, their plans, and what their payment page shows. */
import { type Account, plans } from '../shared/accounts/account.ts';
import { modes } from '../shared/ids.ts';
import { now, toTimestamp } from '../shared/time.ts';
import { settingOptions, settingsChangeOf } from './account-settings.ts';
import { type Command, CommandError, nameOf, type Options, oneOf, runCommand, table } from './command.ts';

const usage = `Usage: npm run accounts -- COMMAND [--json]

  create --name NAME --plan standard|enterprise    a new account with a test and a live key, shown this once
  list                                             all accounts
  show --account ACCOUNT                           an account with all its settings
  update --account ACCOUNT                         what its payment page shows, at least one of:
         [--display-name NAME]                     who is paid, in place of the account's name
         [--payment-instructions TEXT]             how to pay otherwise, such as a bank account, in lines of text
         [--payment-instructions-file PATH]        the same from a file in UTF-8
         [--payment-qr TEXT]                       the text of a QR code for the payer's bank
         [--remove SETTING]                        display-name, payment-instructions or payment-qr
  set-plan --account ACCOUNT --plan PLAN           a key that was just refused follows within five seconds
  reset-limit --account ACCOUNT                    the whole hour's requests again, in both modes, likewise

It finds the local stack by itself; for a deployed one set TABLE_NAME.`;

// The service is loaded once the command knows where its table is.
const store = () => import('../shared/accounts/store.ts');

const planOf = (options: Options) =>
  oneOf('plan', options.required('plan'), Object.keys(plans) as (keyof typeof plans)[]);

const create: Command = {
  options: ['name', 'plan'],
  run: async (options) => {
    const name = nameOf(options);
    const plan = planOf(options);
    const account = await (await store()).createAccount({ name, plan });
    const rows = [
      ['account', account.accountId],
      ...modes.map((mode) => [`${mode} key`, account.keys[mode]]),
    ];
    return { json: account, text: `${table(rows)}\nThe keys are shown this once.` };
  },
};

const list: Command = {
  options: [],
  run: async () => {
    const accounts = (await (await store()).listAccounts()).map((account) => {
      const { paymentInstructions: _, paymentQr: __, ...others } = shown(account);
      return others;
    });
    const rows = accounts.map(({ accountId, plan, createdAt, name }) => [accountId, plan, createdAt, name]);
    return { json: accounts, text: table([['ACCOUNT', 'PLAN', 'CREATED', 'NAME'], ...rows]) };
  },
};

const setPlan: Command = {
  options: ['account', 'plan'],
  run: async (options) => {
    const accountId = await existingAccount(options);
    const plan = planOf(options);
    await (await store()).setPlan(accountId, plan);
    return { json: { accountId, plan }, text: `${accountId} is on the plan ${plan}.` };
  },
};

const resetLimit: Command = {
  options: ['account'],
  run: async (options) => {
    const accountId = await existingAccount(options);
    await (await store()).resetLimit(accountId, now());
    return { json: { accountId }, text: `${accountId} has its whole hour's requests again.` };
  },
};

const show: Command = {
  options: ['account'],
  run: async (options) => {
    const accountId = options.required('account');
    const account = (await (await store()).readAccount(accountId)) ?? unknownAccount(accountId);
    const { displayName, paymentInstructions, paymentQr } = account;
    const [first = 'not set', ...further] = paymentInstructions?.split('\n') ?? [];
    const rows = [
      ['account', accountId],
      ['name', account.name],
      ['plan', account.plan],
      ['created', toTimestamp(account.createdAt)],
      ['display name', displayName ?? 'not set'],
      ['payment QR', paymentQr ?? 'not set'],
      ['payment instructions', first],
      ...further.map((line) => ['', line]),
    ];
    return { json: shown(account), text: table(rows) };
  },
};

const update: Command = {
  options: ['account', ...settingOptions],
  run: async (options) => {
    const accountId = options.required('account');
    const change = await settingsChangeOf(options);
    const account = await (await store()).updateSettings(accountId, change);
    if (!account) return unknownAccount(accountId);
    const text = `${accountId} is updated; its payment page follows within half a minute.`;
    return { json: shown(account), text };
  },
};

function shown({ createdAt, displayName, paymentInstructions, paymentQr, ...account }: Account) {
  return {
    ...account,
    createdAt: toTimestamp(createdAt),
    displayName: displayName ?? null,
    paymentInstructions: paymentInstructions ?? null,
    paymentQr: paymentQr ?? null,
  };
}

async function existingAccount(options: Options): Promise<string> {
  const accountId = options.required('account');
  if (!(await (await store()).readAccount(accountId))) unknownAccount(accountId);
  return accountId;
}

function unknownAccount(accountId: string): never {
  throw new CommandError(`There is no account ${accountId}: npm run accounts -- list shows all.`);
}

await runCommand(
  usage,
  { create, list, show, update, 'set-plan': setPlan, 'reset-limit': resetLimit },
  process.argv.slice(2),
);
