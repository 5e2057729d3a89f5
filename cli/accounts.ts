/** `npm run accounts`: account holders and their plans. */
import { plans } from '../shared/accounts/account.ts';
import { modes } from '../shared/ids.ts';
import { now, toTimestamp } from '../shared/time.ts';
import { type Command, CommandError, nameOf, type Options, oneOf, runCommand, table } from './command.ts';

const usage = `Usage: npm run accounts -- COMMAND [--json]

  create --name NAME --plan standard|enterprise    a new account with a test and a live key, shown this once
  list                                             all accounts
  set-plan --account ACCOUNT --plan PLAN           a key that was just refused follows within five seconds
  reset-limit --account ACCOUNT                    the whole hour's requests again, in both modes, likewise

It finds the local stack by itself; for a deployed one set TABLE_NAME and DEPLOYMENT_SECRET_ARN.`;

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
    const accounts = (await (await store()).listAccounts()).map(({ createdAt, ...account }) => ({
      ...account,
      createdAt: toTimestamp(createdAt),
    }));
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

async function existingAccount(options: Options): Promise<string> {
  const accountId = options.required('account');
  const account = await (await store()).readAccount(accountId);
  if (!account)
    throw new CommandError(`There is no account ${accountId}: npm run accounts -- list shows all.`);
  return accountId;
}

await runCommand(
  usage,
  { create, list, 'set-plan': setPlan, 'reset-limit': resetLimit },
  process.argv.slice(2),
);
