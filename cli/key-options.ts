/** Defines the options that several commands of `remit keys` have, and reads them. */

import { type Mode, modes, type Owner } from '../shared/base/ids.ts';
import { type Instant, now } from '../shared/base/time.ts';
import { isNote, maxNote } from '../shared/domain/accounts/account.ts';
import { maxAddressRanges, parseAddressRanges } from '../shared/domain/auth/address-ranges.ts';
import { type Permission, permissions } from '../shared/domain/auth/permissions.ts';
import { apiVersions } from '../shared/domain/versions/versions.ts';
import {
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  parseInstant,
  requireTypedText,
  usageError,
} from './command.ts';
import { confirmChange } from './confirmation.ts';

export const noteOption: OptionSpec = {
  value: 'TEXT',
  about: `Note for people, up to ${maxNote} characters.`,
};

export const allowAddressOption: OptionSpec = {
  value: 'RANGE',
  about: `Address or range that may use the key, for example 203.0.113.0/24. Repeat it for up to ${maxAddressRanges} ranges. Default: all addresses.`,
  repeatable: true,
};

export const apiVersionOption = {
  value: 'VERSION',
  about: `Version of the API for requests that name none: ${apiVersions.join(' or ')}.`,
} satisfies OptionSpec;

export function readExpiry(options: ParsedOptions): Instant | undefined {
  const text = options.optional('expires-at');
  if (text === undefined) return undefined;
  const instant = parseInstant('expires-at', text);
  if (instant <= now()) throw usageError('--expires-at must be in the future.');
  return instant;
}

export function readNote(options: ParsedOptions): string | undefined {
  const note = options.optional('note');
  const message = `must have 1 to ${maxNote} characters. Control characters other than line breaks and only spaces are not allowed.`;
  return note === undefined ? undefined : requireTypedText('note', note, isNote, message);
}

export function readAllowedAddresses(options: ParsedOptions): readonly string[] | undefined {
  const texts = options.all('allow-address');
  if (texts.length === 0) return undefined;
  const parsed = parseAddressRanges(texts);
  if (!parsed.ok) throw usageError(`--allow-address: ${parsed.message}`);
  return parsed.ranges;
}

export function readPermissions(options: ParsedOptions): Permission[] | undefined {
  const names = options.optional('permissions')?.split(',');
  return names?.map((name) => parseChoice('permissions', name.trim(), permissions));
}

/** Returns the mode of `--mode`, or both modes. */
export function readModes(options: ParsedOptions): readonly Mode[] {
  const mode = options.optional('mode');
  return mode === undefined ? modes : [parseChoice('mode', mode, modes)];
}

/** Asks before a key is revoked. @throws CommandError if the user does not confirm */
export const confirmRevocation = (options: ParsedOptions, { account, mode }: Owner, keyId: string) =>
  confirmChange(
    options,
    () => `This revokes the key ${keyId} of ${account} in ${mode} mode. It cannot be undone.`,
  );
