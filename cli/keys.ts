/** Defines `remit keys`: creates, lists and revokes the API keys of an account. */
import { type ApiKey, apiKeyStatus } from '../shared/accounts/account.ts';
import { type Permission, permissions } from '../shared/auth/permissions.ts';
import { type Mode, modes } from '../shared/ids.ts';
import { type Instant, now, toTimestamp } from '../shared/time.ts';
import { accountOption, requireAccountId } from './accounts.ts';
import { auditOperation, operatorOrigin } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  parseInstant,
  readName,
  usageError,
} from './command.ts';
import { loadAccountStores, tableHelp, withDeploymentOptions } from './table-connection.ts';

const modeOption: OptionSpec = { value: 'MODE', about: `Mode of the key: ${modes.join(' or ')}.` };

const create: CliCommand = {
  about: 'Create an API key. Its value is shown only once.',
  options: {
    account: accountOption,
    mode: { ...modeOption, required: true },
    name: { value: 'NAME', about: 'Name of the key.', required: true },
    'expires-at': { value: 'ISO', about: 'Expiry date, for example 2099-01-31. Default: never.' },
    permissions: {
      value: 'A,B',
      about: `Permissions, separated by commas. Default: all (${permissions.join(', ')}).`,
    },
  },
  examples: [
    'npx remit keys create --account acct_… --mode live --name "Shop 2"',
    'npx remit keys create --account acct_… --mode test --name CI --permissions invoices:read --expires-at 2099-01-31',
  ],
  run: async (options) => {
    const account = await requireAccountId(options);
    const mode = parseChoice('mode', options.required('mode'), modes);
    const name = readName(options);
    const expiry = options.optional('expires-at');
    const expiresAt = expiry === undefined ? undefined : parseFutureInstant(expiry);
    const { createKey } = await loadAccountStores();
    const { value, ...key } = await createKey({
      owner: { account, mode },
      name,
      expiresAt,
      permissions: readPermissions(options),
      origin: await operatorOrigin('key.create'),
    });
    const rows = [
      ['key', key.keyId],
      ['value', value],
    ];
    return {
      json: { ...toOutput(key), value },
      table: { rows },
      text: 'The value is shown only once. Store it in a safe place.',
    };
  },
};

const list: CliCommand = {
  about: 'List all keys of an account, including expired and revoked keys.',
  options: { account: accountOption, mode: modeOption },
  examples: [
    'npx remit keys list --account acct_…',
    'npx remit keys list --account acct_… --mode live --json',
  ],
  run: async (options) => {
    const account = await requireAccountId(options);
    const { listKeys } = await loadAccountStores();
    const keysByMode = await Promise.all(readModes(options).map((mode) => listKeys({ account, mode })));
    const keys = keysByMode.flat().map(toOutput);
    const rows = keys.map((key) => [
      key.keyId,
      key.mode,
      `…${key.last4}`,
      key.status,
      key.expiresAt ?? 'never',
      key.lastUsedAt ?? 'never',
      key.permissions?.join(',') ?? 'all',
      key.name,
    ]);
    const headers = ['KEY', 'MODE', 'VALUE', 'STATUS', 'EXPIRES', 'LAST USED', 'PERMISSIONS', 'NAME'];
    return { json: keys, table: { headers, rows } };
  },
};

const revoke: CliCommand = {
  about: 'Revoke a key. The next request with this key is rejected.',
  options: {
    account: accountOption,
    mode: modeOption,
    key: { value: 'KEY', about: 'Key ID (key_…). To see all keys, run npx remit keys list.', required: true },
  },
  examples: ['npx remit keys revoke --account acct_… --key key_…'],
  run: async (options) => {
    const account = await requireAccountId(options);
    const keyId = options.required('key');
    const { listKeys, revokeKey } = await loadAccountStores();
    for (const mode of readModes(options)) {
      const owner = { account, mode };
      if (!(await listKeys(owner)).some((each) => each.keyId === keyId)) continue;
      const operation = { action: 'key.revoke', ...owner, resource: keyId } as const;
      const key = await auditOperation(operation, () => revokeKey(owner, keyId));
      if (key) return { json: toOutput(key), text: `${keyId} is revoked.` };
    }
    throw new CommandError(
      `${account} has no key ${keyId}. To see all keys, run npx remit keys list --account ${account}.`,
    );
  },
};

export const keyCommands: CommandGroup = {
  about: 'Create, list and revoke the API keys of an account.',
  details: tableHelp,
  commands: withDeploymentOptions({ create, list, revoke }),
};

/** Returns the mode of `--mode`, or both modes. */
function readModes(options: ParsedOptions): readonly Mode[] {
  const mode = options.optional('mode');
  return mode === undefined ? modes : [parseChoice('mode', mode, modes)];
}

function parseFutureInstant(text: string): Instant {
  const instant = parseInstant('expires-at', text);
  if (instant <= now()) throw usageError('--expires-at must be in the future.');
  return instant;
}

function readPermissions(options: ParsedOptions): Permission[] | undefined {
  const names = options.optional('permissions')?.split(',');
  return names?.map((name) => parseChoice('permissions', name.trim(), permissions));
}

function toOutput(key: ApiKey) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt } = key;
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    ...key,
    status: apiKeyStatus(key, now()),
    permissions: key.permissions ?? null,
    createdAt: toTimestamp(createdAt),
    expiresAt: timestamp(expiresAt),
    revokedAt: timestamp(revokedAt),
    lastUsedAt: timestamp(lastUsedAt),
  };
}
