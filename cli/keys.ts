/** Defines `remit keys`: creates, lists, changes, rolls over and revokes the API keys of an account. */

import { modes, type Owner } from '../shared/base/ids.ts';
import { defaultOverlapHours, maxOverlapHours } from '../shared/base/overlap-hours.ts';
import { permissions } from '../shared/domain/auth/permissions.ts';
import { newestApiVersion } from '../shared/domain/versions/versions.ts';
import { readApiVersion } from './api-version-option.ts';
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
import { yesOption } from './confirmation.ts';
import {
  allowAddressOption,
  apiVersionOption,
  confirmRevocation,
  noteOption,
  readAllowedAddresses,
  readExpiry,
  readModes,
  readNote,
  readPermissions,
} from './key-options.ts';
import { showKeyWithValue, toKeyOutput } from './key-output.ts';
import { accountOption, readRequestedAccount, requireAccountId } from './requested-account.ts';
import { refuseSandbox } from './sandboxes.ts';
import { loadAccountStores, tableHelp, withDeploymentOptions } from './table-connection.ts';

const modeOption: OptionSpec = { value: 'MODE', about: `Mode of the key: ${modes.join(' or ')}.` };

const keyOption: OptionSpec = {
  value: 'KEY',
  about: 'Key ID (key_…). To see all keys, run npx remit keys list.',
  required: true,
};

const hourMs = 3_600_000;

const create: CliCommand = {
  about: 'Create an API key. Its value is shown only once.',
  options: {
    account: accountOption,
    mode: { ...modeOption, required: true },
    name: { value: 'NAME', about: 'Name of the key.', required: true },
    note: noteOption,
    'expires-at': { value: 'ISO', about: 'Expiry date, for example 2099-01-31. Default: never.' },
    permissions: {
      value: 'A,B',
      about: `Permissions, separated by commas: ${permissions.join(', ')}. Default: all but those of keys.`,
    },
    'allow-address': allowAddressOption,
    'api-version': { ...apiVersionOption, about: `${apiVersionOption.about} Default: ${newestApiVersion}.` },
  },
  examples: [
    'npx remit keys create --account acct_… --mode live --name "Shop 2"',
    'npx remit keys create --account acct_… --mode live --name "Shop 3" --allow-address 203.0.113.0/24 --allow-address 2001:db8::/48',
    'npx remit keys create --account acct_… --mode test --name CI --permissions invoices:read --expires-at 2099-01-31',
  ],
  run: async (options) => {
    const requested = await readRequestedAccount(options);
    const account = requested.accountId;
    const mode = parseChoice('mode', options.required('mode'), modes);
    if (mode === 'live') refuseSandbox(requested, 'live mode');
    const name = readName(options);
    const note = readNote(options);
    const expiresAt = readExpiry(options);
    const { createKey } = await loadAccountStores();
    const { value, ...key } = await createKey({
      owner: { account, mode },
      name,
      note,
      expiresAt,
      permissions: readPermissions(options),
      allowedAddresses: readAllowedAddresses(options),
      apiVersion: readApiVersion(options) ?? newestApiVersion,
      origin: await operatorOrigin('key.create'),
    });
    return showKeyWithValue(key, value);
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
    const keys = keysByMode.flat().map(toKeyOutput);
    const rows = keys.map((key) => [
      key.keyId,
      key.mode,
      `…${key.last4}`,
      key.status,
      key.expiresAt ?? 'never',
      key.lastUsedAt ?? 'never',
      key.permissions?.join(',') ?? 'all',
      key.allowedAddresses?.join(',') ?? 'all',
      key.apiVersion,
      key.replacedBy ?? '',
      key.name,
    ]);
    const headers = [
      ...['KEY', 'MODE', 'VALUE', 'STATUS', 'EXPIRES', 'LAST USED', 'PERMISSIONS', 'ADDRESSES'],
      ...['API VERSION', 'REPLACED BY', 'NAME'],
    ];
    return { json: keys, table: { headers, rows } };
  },
};

const update: CliCommand = {
  about: 'Change the name, the note or the API version of a key, or the addresses that may use it.',
  options: {
    account: accountOption,
    mode: modeOption,
    key: keyOption,
    name: { value: 'NAME', about: 'New name of the key.' },
    note: noteOption,
    'remove-note': { about: 'Remove the note.' },
    'allow-address': {
      ...allowAddressOption,
      about: 'Address or range that may use the key. Repeat it for more. They replace the earlier ranges.',
    },
    'allow-any-address': { about: 'All addresses may use the key.' },
    'api-version': apiVersionOption,
  },
  examples: [
    'npx remit keys update --account acct_… --key key_… --note "Server in Thimphu"',
    'npx remit keys update --account acct_… --key key_… --allow-address 203.0.113.7 --allow-address 203.0.113.64/26',
    'npx remit keys update --account acct_… --key key_… --allow-any-address',
    `npx remit keys update --account acct_… --key key_… --api-version ${newestApiVersion}`,
  ],
  run: async (options) => {
    const { owner, keyId } = await findKey(options);
    const name = options.optional('name') === undefined ? undefined : readName(options);
    const note = options.flag('remove-note') ? null : readNote(options);
    if (options.flag('remove-note') && options.optional('note') !== undefined)
      throw usageError('The options set and remove the note at the same time. Use only one of them.');
    if (options.flag('allow-any-address') && options.optional('allow-address') !== undefined)
      throw usageError('Use only one of --allow-address and --allow-any-address.');
    const allowedAddresses = options.flag('allow-any-address') ? null : readAllowedAddresses(options);
    const change = { name, note, allowedAddresses, apiVersion: readApiVersion(options) };
    if (Object.values(change).every((value) => value === undefined))
      throw usageError(
        'Nothing to change. Use --name, --note, --remove-note, --allow-address, --allow-any-address or --api-version.',
      );
    const { updateKey } = await loadAccountStores();
    const key = await updateKey(owner, keyId, change, await operatorOrigin('key.update'));
    if (!key) throw noSuchKey(owner.account, keyId);
    return { json: toKeyOutput(key), text: `${keyId} is changed.` };
  },
};

const rollOver: CliCommand = {
  about: 'Replace a key by a new one, whose value is shown only once.',
  details: `The new key has the name, the note, the permissions and the allowed addresses of the old one. The old key still works for the overlap, so you can give the new value to its client without a gap.

A key can be replaced only once. If the new value is lost, roll over the new key.`,
  options: {
    account: accountOption,
    mode: modeOption,
    key: keyOption,
    'overlap-hours': {
      value: 'HOURS',
      about: `Hours for which the old key still works, 0 to ${maxOverlapHours}. 0 revokes it at once. Default: ${defaultOverlapHours}.`,
      integer: true,
    },
    'expires-at': {
      value: 'ISO',
      about:
        'Expiry date of the new key. Default: as long from now as the old key from its creation; never if the old key never expires.',
    },
    ...yesOption,
  },
  examples: ['npx remit keys roll-over --account acct_… --key key_… --overlap-hours 72'],
  run: async (options) => {
    const hours = Number(options.optional('overlap-hours') ?? defaultOverlapHours);
    if (!(hours >= 0 && hours <= maxOverlapHours))
      throw usageError(`--overlap-hours must be an integer from 0 to ${maxOverlapHours}.`);
    const expiresAt = readExpiry(options);
    const { owner, keyId } = await findKey(options);
    if (hours === 0) await confirmRevocation(options, owner, keyId);
    const { rollOverKey } = await loadAccountStores();
    const origin = await operatorOrigin('key.roll_over');
    const created = await rollOverKey({ owner, keyId, overlapMs: hours * hourMs, expiresAt, origin });
    if (!created) throw noSuchKey(owner.account, keyId);
    const { value, ...key } = created;
    return showKeyWithValue(key, value);
  },
};

const revoke: CliCommand = {
  about: 'Revoke a key. The next request with this key is rejected.',
  options: { account: accountOption, mode: modeOption, key: keyOption, ...yesOption },
  examples: ['npx remit keys revoke --account acct_… --key key_…'],
  run: async (options) => {
    const { owner, keyId } = await findKey(options);
    await confirmRevocation(options, owner, keyId);
    const { revokeKey } = await loadAccountStores();
    const operation = { action: 'key.revoke', ...owner, resource: keyId } as const;
    const key = await auditOperation(operation, () => revokeKey(owner, keyId));
    if (!key) throw noSuchKey(owner.account, keyId);
    return { json: toKeyOutput(key), text: `${keyId} is revoked.` };
  },
};

export const keyCommands: CommandGroup = {
  about: 'Create, list, change, roll over and revoke the API keys of an account.',
  details: tableHelp,
  commands: withDeploymentOptions({ create, list, update, 'roll-over': rollOver, revoke }),
};

/** Finds the key of `--key` in one of the modes. @throws CommandError if the account does not have it */
async function findKey(options: ParsedOptions): Promise<{ owner: Owner; keyId: string }> {
  const account = await requireAccountId(options);
  const keyId = options.required('key');
  const { listKeys } = await loadAccountStores();
  for (const mode of readModes(options)) {
    const owner = { account, mode };
    if ((await listKeys(owner)).some((each) => each.keyId === keyId)) return { owner, keyId };
  }
  throw noSuchKey(account, keyId);
}

const noSuchKey = (account: string, keyId: string) =>
  new CommandError(
    `${account} has no key ${keyId}. To see all keys, run npx remit keys list --account ${account}.`,
  );
