/** `remit keys`: API keys of an account. */
import { type ApiKey, statusOf } from '../shared/accounts/account.ts';
import { type Mode, modes } from '../shared/ids.ts';
import { type Permission, permissions } from '../shared/permissions.ts';
import { type Instant, now, toTimestamp } from '../shared/time.ts';
import { accountOption, existingAccount } from './accounts.ts';
import {
  type Command,
  CommandError,
  type Group,
  instantOf,
  nameOf,
  type Option,
  type Options,
  oneOf,
  usageError,
} from './command.ts';
import { accountStores, tableHelp } from './table-connection.ts';

const modeOption: Option = { value: 'MODE', about: `one of ${modes.join(', ')}` };

const create: Command = {
  about: 'A new key, shown this once.',
  options: {
    account: accountOption,
    mode: { ...modeOption, required: true },
    name: { value: 'NAME', about: 'what people call it', required: true },
    'expires-at': { value: 'ISO', about: 'when it stops working; default never' },
    permissions: { value: 'A,B', about: `what it may do; default all: ${permissions.join(', ')}` },
  },
  examples: [
    'npx remit keys create --account acct_… --mode live --name "Shop 2"',
    'npx remit keys create --account acct_… --mode test --name CI --permissions invoices:read --expires-at 2099-01-31',
  ],
  run: async (options) => {
    const account = await existingAccount(options);
    const mode = oneOf('mode', options.required('mode'), modes);
    const name = nameOf(options);
    const expiry = options.optional('expires-at');
    const expiresAt = expiry === undefined ? undefined : futureInstant(expiry);
    const { createKey } = await accountStores();
    const { value, ...key } = await createKey({
      owner: { account, mode },
      name,
      expiresAt,
      permissions: permissionsOf(options),
    });
    const rows = [
      ['key', key.keyId],
      ['value', value],
    ];
    return { json: { ...shown(key), value }, table: { rows }, text: 'The value is shown this once.' };
  },
};

const list: Command = {
  about: 'All keys of an account, also those that can no longer be used.',
  options: { account: accountOption, mode: modeOption },
  examples: [
    'npx remit keys list --account acct_…',
    'npx remit keys list --account acct_… --mode live --json',
  ],
  run: async (options) => {
    const account = await existingAccount(options);
    const { listKeys } = await accountStores();
    const found = await Promise.all(modesOf(options).map((mode) => listKeys({ account, mode })));
    const keys = found.flat().map(shown);
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
    const heads = ['KEY', 'MODE', 'VALUE', 'STATUS', 'EXPIRES', 'LAST USED', 'PERMISSIONS', 'NAME'];
    return { json: keys, table: { heads, rows } };
  },
};

const revoke: Command = {
  about: 'Ends a key, from the very next request on.',
  options: {
    account: accountOption,
    mode: modeOption,
    key: { value: 'KEY', about: 'its id, key_…, as the list shows it', required: true },
  },
  examples: ['npx remit keys revoke --account acct_… --key key_…'],
  run: async (options) => {
    const account = await existingAccount(options);
    const keyId = options.required('key');
    const { revokeKey } = await accountStores();
    for (const mode of modesOf(options)) {
      const key = await revokeKey({ account, mode }, keyId);
      if (key) return { json: shown(key), text: `${keyId} is revoked.` };
    }
    throw new CommandError(
      `${account} has no key ${keyId}: npx remit keys list --account ${account} shows all.`,
    );
  },
};

export const keys: Group = {
  about: 'API keys of an account.',
  details: tableHelp,
  commands: { create, list, revoke },
};

/** The mode asked for, or both. */
function modesOf(options: Options): readonly Mode[] {
  const mode = options.optional('mode');
  return mode === undefined ? modes : [oneOf('mode', mode, modes)];
}

function futureInstant(text: string): Instant {
  const instant = instantOf('expires-at', text);
  if (instant <= now()) throw usageError('--expires-at must lie in the future.');
  return instant;
}

function permissionsOf(options: Options): Permission[] | undefined {
  const words = options.optional('permissions')?.split(',');
  return words?.map((word) => oneOf('permissions', word.trim(), permissions));
}

function shown(key: ApiKey) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt } = key;
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    ...key,
    status: statusOf(key, now()),
    permissions: key.permissions ?? null,
    createdAt: toTimestamp(createdAt),
    expiresAt: timestamp(expiresAt),
    revokedAt: timestamp(revokedAt),
    lastUsedAt: timestamp(lastUsedAt),
  };
}
