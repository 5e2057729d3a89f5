/** `npm run keys`: API keys of an account. */
import { type ApiKey, statusOf } from '../shared/accounts/account.ts';
import { type Mode, modes } from '../shared/ids.ts';
import { type Permission, permissions } from '../shared/permissions.ts';
import { type Instant, now, toTimestamp } from '../shared/time.ts';
import {
  type Command,
  CommandError,
  instantOf,
  nameOf,
  type Options,
  oneOf,
  runCommand,
  table,
  usageError,
} from './command.ts';

const usage = `Usage: npm run keys -- COMMAND --account ACCOUNT [--json]

  create --mode test|live --name NAME    a new key, shown this once
         [--expires-at ISO]              when it stops to work, default never
         [--permissions a,b]             what it may do, default all:
                                         ${permissions.slice(0, 4).join(', ')},
                                         ${permissions.slice(4).join(', ')}
  list [--mode test|live]                all keys, with their last four characters
  revoke --key KEY                       from the very next request on

It finds the local stack by itself; for a deployed one set TABLE_NAME.`;

// The service is loaded once the command knows where its table is.
const store = () => import('../shared/accounts/key-store.ts');

const create: Command = {
  options: ['account', 'mode', 'name', 'expires-at', 'permissions'],
  run: async (options) => {
    const account = await existingAccount(options);
    const mode = oneOf('mode', options.required('mode'), modes);
    const name = nameOf(options);
    const expiry = options.optional('expires-at');
    const expiresAt = expiry === undefined ? undefined : futureInstant(expiry);
    const { createKey } = await store();
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
    return { json: { ...shown(key), value }, text: `${table(rows)}\nThe value is shown this once.` };
  },
};

const list: Command = {
  options: ['account', 'mode'],
  run: async (options) => {
    const account = await existingAccount(options);
    const { listKeys } = await store();
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
    return { json: keys, text: table([heads, ...rows]) };
  },
};

const revoke: Command = {
  options: ['account', 'mode', 'key'],
  run: async (options) => {
    const account = await existingAccount(options);
    const keyId = options.required('key');
    const { revokeKey } = await store();
    for (const mode of modesOf(options)) {
      const key = await revokeKey({ account, mode }, keyId);
      if (key) return { json: shown(key), text: `${keyId} is revoked.` };
    }
    throw new CommandError(
      `${account} has no key ${keyId}: npm run keys -- list --account ${account} shows all.`,
    );
  },
};

async function existingAccount(options: Options): Promise<string> {
  const accountId = options.required('account');
  const { readAccount } = await import('../shared/accounts/store.ts');
  if (await readAccount(accountId)) return accountId;
  throw new CommandError(`There is no account ${accountId}: npm run accounts -- list shows all.`);
}

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

await runCommand(usage, { create, list, revoke }, process.argv.slice(2));
