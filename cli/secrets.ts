/** Defines `remit secrets`: shows and rotates the secrets of a deployment. */
import { changedSettings } from '../shared/base/audit-origin.ts';
import { modes, type Owner } from '../shared/base/ids.ts';
import { now, toTimestamp } from '../shared/base/time.ts';
import { auditOperation } from './audit-operation.ts';
import { type CliCommand, CommandError, type CommandGroup, parseChoice, usageError } from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';
import { showProgress } from './terminal.ts';

/** The secrets, by the names of `shared/operations/rotation`, which this file loads only after the table is connected. */
const names = ['deployment', 'webhooks', 'keys', 'providers', 'audit', 'signing'] as const;

const secretsHelp = `A deployment has six secrets: "deployment" makes the checks of API keys and the hashes, "webhooks" encrypts
the secrets of webhook endpoints, "keys" encrypts stored answers with the value of an API key, "providers" encrypts the
credentials of payment providers, "audit" seals the entries of the audit log, and "signing" signs the sessions and members of the
dashboard.`;

const status: CliCommand = {
  about: 'Show the versions of each secret, and what still needs them.',
  details: `${secretsHelp} The command reads all accounts.`,
  examples: ['npx remit secrets status --stage prod', 'npx remit secrets status --stage prod --json'],
  run: async () => {
    const { readVersions, reasonToKeep } = await loadRotation();
    const versions = await readVersions(listOwners(), now());
    const rows = versions.map((version) => [
      version.secret,
      version.version,
      version.isCurrent ? 'current' : reasonToKeep(version) ? 'needed' : 'can be removed',
      String(version.keys.length),
      String(version.webhookSecrets),
      String(version.connections),
      String(version.members),
      version.neededUntil === undefined ? '' : toTimestamp(version.neededUntil),
    ]);
    const json = versions.map((version) => ({
      ...version,
      neededUntil: version.neededUntil === undefined ? null : toTimestamp(version.neededUntil),
    }));
    const headers = [
      'SECRET',
      'VERSION',
      'STATE',
      'API KEYS',
      'WEBHOOK SECRETS',
      'CONNECTIONS',
      'MEMBERS',
      'NEEDED UNTIL',
    ];
    return { json, table: { headers, rows } };
  },
};

const rotate: CliCommand = {
  about: 'Add a version to a secret, and bring stored values to it.',
  details: `${secretsHelp} New values use the new version at once, or within an hour in running instances. Old versions still read
old values, so nothing stops to work. If the command is interrupted, run "apply".`,
  options: {
    secret: { value: 'NAME', about: `Only this secret: ${names.join(', ')}. Default: all.` },
  },
  examples: [
    'npx remit secrets rotate --stage prod',
    'npx remit secrets rotate --stage prod --secret webhooks',
  ],
  run: async (options) => {
    const { addVersion } = await loadRotation();
    const name = options.optional('secret');
    const chosen = name === undefined ? names : [parseChoice('secret', name, names)];
    const added: Record<string, string> = {};
    const changes = changedSettings(undefined, { secrets: chosen });
    const applied = await auditOperation({ action: 'secret.rotate', changes }, async () => {
      for (const each of chosen) added[each] = await addVersion(each);
      return applyAll();
    });
    const versions = Object.entries(added).map(([secret, version]) => `${secret} ${version}`);
    return {
      json: { current: added, ...applied },
      text: `Current versions: ${versions.join(', ')}.\n${describe(applied)}`,
    };
  },
};

const apply: CliCommand = {
  about: 'Encrypt webhook secrets and credentials, and sign members, with the current versions.',
  details: 'The command can be interrupted and repeated at any time.',
  examples: ['npx remit secrets apply --stage prod'],
  run: async () => {
    const applied = await auditOperation({ action: 'secret.apply' }, applyAll);
    return { json: applied, text: describe(applied) };
  },
};

const remove: CliCommand = {
  about: 'Remove a version that nothing needs any more.',
  details: `The command refuses to remove a version while API keys, webhook secrets, connections, members or stored answers need it, and says what to do.`,
  options: {
    secret: { value: 'NAME', about: `The secret: ${names.join(', ')}.`, required: true },
    version: { value: 'VERSION', about: 'The version, as "status" shows it.', required: true },
    ...yesOption,
  },
  examples: ['npx remit secrets remove --stage prod --secret webhooks --version w1'],
  run: async (options) => {
    const secret = parseChoice('secret', options.required('secret'), names);
    const version = options.required('version');
    const { readVersions, removeVersion, RotationError } = await loadRotation();
    const found = (await readVersions(listOwners(), now())).find(
      (each) => each.secret === secret && each.version === version,
    );
    if (!found)
      throw usageError(`The secret ${secret} has no version ${version}. Run npx remit secrets status.`);
    await confirmChange(
      options,
      () => `This removes version ${version} of the secret ${secret}. It cannot be undone.`,
    );
    const changes = changedSettings({ [secret]: version }, undefined);
    try {
      await auditOperation({ action: 'secret.remove', changes }, () => removeVersion(found));
    } catch (error) {
      throw error instanceof RotationError ? new CommandError(error.message) : error;
    }
    return { json: { secret, version }, text: `Version ${version} of the secret ${secret} is removed.` };
  },
};

export const secretCommands: CommandGroup = {
  about: 'Show and rotate the secrets of a deployment.',
  details: tableHelp,
  commands: withDeploymentOptions({ status, rotate, apply, remove }),
};

async function applyAll() {
  const { applyVersions, readAccountIds } = await loadRotation();
  return applyVersions(readAccountIds(), ({ accounts }) => showProgress(`${accounts} accounts done`));
}

const describe = ({ accounts, reencrypted, connections, members }: Awaited<ReturnType<typeof applyAll>>) =>
  `Accounts: ${accounts}. Webhook endpoints whose secrets were encrypted again: ${reencrypted}. Connections to payment providers whose credentials were encrypted again: ${connections}. Accounts whose members were signed again: ${members}.`;

async function* listOwners(): AsyncGenerator<Owner> {
  const { readAccountIds } = await loadRotation();
  for await (const accounts of readAccountIds())
    for (const account of accounts) for (const mode of modes) yield { account, mode };
}

/** Connects the table, and loads the modules that rotate secrets. */
async function loadRotation() {
  await connectTable();
  const [rotation, stores] = await Promise.all([
    import('../shared/operations/rotation/rotate-secrets.ts'),
    import('../shared/store/account-directory.ts'),
  ]);
  return { ...rotation, ...stores };
}
