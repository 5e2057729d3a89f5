/** Defines `remit providers`: connects accounts to payment providers with a hosted checkout, and replaces credentials. */
import { type Mode, modes, type Owner } from '../shared/base/ids.ts';
import { currencies } from '../shared/base/money.ts';
import { toTimestamp } from '../shared/base/time.ts';
import type { MaximumAmounts } from '../shared/domain/payments/connections/connection.ts';
import { notificationAddress, providerFacts } from '../shared/domain/payments/connections/provider-facts.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../shared/domain/payments/provider/hosted-provider.ts';
import { findApiUrl } from './api-address.ts';
import { operatorOrigin } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { credentialsOption, readCredentials } from './provider-credentials.ts';
import { connectionOutput, connectionRows, notificationAdvice } from './provider-output.ts';
import { accountOption, readRequestedAccount, requireAccountId } from './requested-account.ts';
import { refuseSandbox } from './sandboxes.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const operands = ['PROVIDER'];

const options = {
  account: accountOption,
  mode: { value: 'MODE', about: `Mode of the account: ${modes.join(' or ')}.`, required: true },
} as const satisfies Readonly<Record<string, OptionSpec>>;

const help = `PROVIDER is ${hostedProviderNames.join(' or ')}. The command asks for the credentials and does not show what you type. It never takes
them as arguments, because other users of the machine can see those.`;

const connect: CliCommand = {
  about: 'Connect an account to a payment provider. Checks the credentials with a call to the provider.',
  details: `${help} docs/use/providers.md says which permissions a key needs, and how to make the notification secret.`,
  operands,
  options: {
    ...options,
    currencies: {
      value: 'A,B',
      about: 'Currencies that the account at the provider takes. Default: all of the provider.',
    },
    'maximum-amounts': {
      value: 'INR=N,…',
      about: 'Largest payment that the account at the provider takes, in the smallest currency unit.',
    },
    'credentials-file': credentialsOption,
  },
  examples: [
    'npx remit providers connect stripe --account acct_… --mode live',
    'npx remit providers connect stripe --account acct_… --mode test --currencies USD --credentials-file stripe.json',
    'npx remit providers connect razorpay --account acct_… --mode live --maximum-amounts INR=50000000',
  ],
  run: async (parsed) => {
    const [name, mode] = [readProvider(parsed), readMode(parsed)];
    const maximumAmounts = readMaximumAmountsOption(parsed);
    const url = await findApiUrl(parsed);
    const requested = await readRequestedAccount(parsed);
    refuseSandbox(requested, 'connections to payment providers');
    const owner = { account: requested.accountId, mode };
    const address = notificationAddress(url, name, owner.account);
    const entered = await readCredentials(parsed, name, `\n${notificationAdvice(name, address)}\n\n`, false);
    const chosen = { entered, currencies: parsed.optional('currencies')?.split(','), maximumAmounts };
    const { connectProvider } = await loadConnections();
    const origin = await operatorOrigin('provider.connect');
    const saved = await explained(connectProvider(owner, name, chosen, origin));
    return {
      json: { ...connectionOutput(saved), notificationAddress: address, events: providerFacts[name].events },
      table: { rows: connectionRows(saved) },
      text: `${providerFacts[name].title} is connected. ${notificationAdvice(name, address)}`,
    };
  },
};

const rotate: CliCommand = {
  about: 'Replace the key or the notification secret of a connection.',
  details: `${help} Press Enter to keep a part as it is.

A new key applies at once. A new notification secret is accepted in addition to the old one, so no notification is lost. When the
provider uses the new one, run the command with --drop-old.`,
  operands,
  options: {
    ...options,
    'drop-old': { about: 'Accept only the newest notification secret from now on.' },
    'credentials-file': credentialsOption,
    ...yesOption,
  },
  examples: [
    'npx remit providers rotate stripe --account acct_… --mode live',
    'npx remit providers rotate stripe --account acct_… --mode live --drop-old',
  ],
  run: async (parsed) => {
    const name = readProvider(parsed);
    const owner = await readOwner(parsed);
    const dropOld = parsed.flag('drop-old');
    const isOnlyDrop = dropOld && parsed.optional('credentials-file') === undefined;
    const entered = isOnlyDrop ? {} : await readCredentials(parsed, name, '', true);
    if (dropOld)
      await confirmChange(
        parsed,
        () =>
          `In ${owner.mode} mode, notifications of ${providerFacts[name].title} with an earlier secret are rejected from now on.`,
      );
    const { rotateCredentials } = await loadConnections();
    const origin = await operatorOrigin('provider.rotate');
    const saved = await explained(rotateCredentials(owner, name, { entered, dropOld }, origin));
    const overlap =
      saved.notificationSecretCount > 1
        ? ' The earlier notification secret is still accepted. When the provider uses the new one, run this command with --drop-old.'
        : '';
    const text = `The credentials of ${providerFacts[name].title} are replaced.${overlap}`;
    return { json: connectionOutput(saved), table: { rows: connectionRows(saved) }, text };
  },
};

const disconnectCommand: CliCommand = {
  about: 'Disconnect a payment provider: no new checkout begins.',
  details: `The credentials stay encrypted, so refunds and open checkouts of the provider still work. You can connect it again at any time.

Later, --forget deletes the credentials: 180 days after the disconnection, or 2 hours with --force. Then payments of the provider can
be refunded only at the provider.`,
  operands,
  options: {
    ...options,
    forget: { about: 'Delete the credentials of a provider that is disconnected.' },
    force: { about: 'With --forget: delete them although payments can still be refunded or disputed.' },
    ...yesOption,
  },
  examples: [
    'npx remit providers disconnect stripe --account acct_… --mode live',
    'npx remit providers disconnect stripe --account acct_… --mode live --forget',
  ],
  run: async (parsed) => {
    const name = readProvider(parsed);
    const owner = await readOwner(parsed);
    const { title } = providerFacts[name];
    const [isForgetting, force] = [parsed.flag('forget'), parsed.flag('force')];
    if (force && !isForgetting) throw usageError('--force needs --forget.');
    await confirmChange(parsed, () =>
      isForgetting
        ? `This deletes the credentials of ${title} of ${owner.account} in ${owner.mode} mode. Its payments can then be refunded only at ${title}.`
        : `This disconnects ${title} from ${owner.account} in ${owner.mode} mode. Payers can no longer begin a checkout.`,
    );
    const { disconnect } = await loadConnections();
    const origin = await operatorOrigin('provider.disconnect');
    if (isForgetting) {
      const { forgetConnection } = await import('../shared/domain/payments/connections/forget.ts');
      await explained(forgetConnection(owner, name, { force }, origin));
      return {
        json: { provider: name, ...owner, isForgotten: true },
        text: `The credentials of ${title} are deleted. To use ${title} again, connect it.`,
      };
    }
    const saved = await disconnect(owner, name, origin);
    if (!saved) throw new CommandError(`${title} is not connected in ${owner.mode} mode.`);
    const text = `${title} is disconnected. Payers see the change within 30 seconds. Refunds and open checkouts still work.`;
    return { json: connectionOutput(saved), text };
  },
};

const list: CliCommand = {
  about: 'List the connections of an account to payment providers. Shows no credentials.',
  options: { account: accountOption },
  examples: ['npx remit providers list --account acct_…', 'npx remit providers list --account acct_… --json'],
  run: async (parsed) => {
    const account = await requireAccountId(parsed);
    const { readConnections } = await loadConnections();
    const found = (await Promise.all(modes.map((mode) => readConnections({ account, mode })))).flat();
    const rows = found.map((each) => [
      each.provider,
      each.mode,
      each.disconnectedAt === undefined ? 'connected' : 'disconnected',
      each.currencies.join(', '),
      `…${each.keyLast4}`,
      String(each.notificationSecretCount),
      toTimestamp(each.rotatedAt),
      each.accountName,
    ]);
    const headers = ['PROVIDER', 'MODE', 'STATUS', 'CURRENCIES', 'KEY', 'SECRETS', 'SINCE', 'ACCOUNT NAME'];
    return { json: found.map(connectionOutput), table: { headers, rows } };
  },
};

const check: CliCommand = {
  about: 'Check the connections of an account with a call to each provider.',
  options: { account: accountOption },
  examples: ['npx remit providers check --account acct_…'],
  run: async (parsed) => {
    const account = await requireAccountId(parsed);
    const { findConnectionFault, readConnections } = await loadConnections();
    const found = (await Promise.all(modes.map((mode) => readConnections({ account, mode })))).flat();
    const results = await Promise.all(
      found.map(async (each) => {
        const { provider, mode } = each;
        return { provider, mode, fault: (await findConnectionFault(each, provider)) ?? null };
      }),
    );
    const rows = results.map(({ provider, mode, fault }) => [provider, mode, fault ?? 'accepted']);
    return {
      json: results,
      table: { headers: ['PROVIDER', 'MODE', 'CREDENTIALS'], rows },
      failed: results.some(({ fault }) => fault !== null),
    };
  },
};

export const providerCommands: CommandGroup = {
  about: 'Connect accounts to payment providers with a hosted checkout.',
  details: tableHelp,
  commands: withDeploymentOptions({ connect, list, check, rotate, disconnect: disconnectCommand }),
};

const readProvider = (parsed: ParsedOptions): HostedProviderName => {
  const given = parsed.required('PROVIDER');
  const found = hostedProviderNames.find((name) => name === given);
  if (found) return found;
  throw usageError(`PROVIDER must be one of ${hostedProviderNames.join(', ')}.`);
};

const readMode = (parsed: ParsedOptions): Mode => parseChoice('mode', parsed.required('mode'), modes);

/** @throws CommandError (usage) if a part is not a currency and an amount */
function readMaximumAmountsOption(parsed: ParsedOptions): MaximumAmounts {
  const parts = parsed.optional('maximum-amounts')?.split(',') ?? [];
  const amounts = parts.map((part) => {
    const [, code, digits] = /^([A-Z]{3})=(\d{1,15})$/.exec(part) ?? [];
    const currency = currencies.find((each) => each === code);
    if (currency) return [currency, Number(digits)] as const;
    throw usageError(
      `--maximum-amounts must be like INR=50000000: one of ${currencies.join(', ')}, and an amount in its smallest unit. Separate several with commas.`,
    );
  });
  return Object.fromEntries(amounts);
}

async function readOwner(parsed: ParsedOptions): Promise<Owner> {
  const mode = readMode(parsed);
  return { account: await requireAccountId(parsed), mode };
}

/** Connects the table, and loads the modules of connections. */
async function loadConnections() {
  await connectTable();
  const [manage, entered, store, changes] = await Promise.all([
    import('../shared/domain/payments/connections/manage.ts'),
    import('../shared/domain/payments/connections/read-entered.ts'),
    import('../shared/domain/payments/connections/connection-store.ts'),
    import('../shared/domain/payments/connections/change-connection.ts'),
  ]);
  return { ...manage, ...entered, ...store, ...changes };
}

/** Turns an error of a connection into one of the command line. */
async function explained<T>(work: Promise<T>): Promise<T> {
  const { ConnectionError } = await loadConnections();
  try {
    return await work;
  } catch (error) {
    throw error instanceof ConnectionError ? new CommandError(error.message) : error;
  }
}
