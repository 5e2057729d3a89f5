/** Defines the options of a sandbox, reads them, and shows a new one. */

import { toTimestamp } from '../shared/base/time.ts';
import type { Account, CreatedSandbox } from '../shared/domain/accounts/account.ts';
import {
  CommandError,
  type CommandResult,
  type OptionSpec,
  type ParsedOptions,
  usageError,
} from './command.ts';

const defaultDays = 7;
const maxDays = 90;
/** What a sandbox has without these options. */
const defaults: Readonly<Record<string, string>> = { name: 'Sandbox', plan: 'standard' };

export const sandboxDetails = `A sandbox is an account with test mode only and one test key. At its end, its keys stop working. Within two
days, all of its data is deleted. docs/use/local-and-test-mode.md lists what remains.

Without --name and --plan, a sandbox has the name "${defaults.name}" and the plan ${defaults.plan}. Other accounts need both options.`;

export const sandboxOptions: Readonly<Record<'sandbox' | 'days', OptionSpec>> = {
  sandbox: { about: 'Create a sandbox: an account for tests that is deleted by itself.' },
  days: {
    value: 'DAYS',
    about: `Days after which the sandbox ends: 1 to ${maxDays}. Default: ${defaultDays}.`,
  },
};

/** Returns after how many days the new sandbox ends. Undefined: the new account is not a sandbox. */
export function readSandboxDays(options: ParsedOptions): number | undefined {
  const text = options.optional('days');
  if (!options.flag('sandbox')) {
    if (text === undefined) return undefined;
    throw usageError('--days is only for sandboxes. Add --sandbox, or remove --days.');
  }
  if (text === undefined) return defaultDays;
  const days = Number(text);
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= maxDays) return days;
  throw usageError(`--days must be a whole number from 1 to ${maxDays}, for example --days ${defaultDays}.`);
}

/** Returns the options of a new sandbox. It has a name and a plan also if the call does not name them. */
export const withSandboxDefaults = (options: ParsedOptions): ParsedOptions => ({
  ...options,
  required: (name) => options.optional(name) ?? defaults[name] ?? options.required(name),
});

/** Returns the result of a command that created a sandbox. */
export function describeSandbox({ sandboxUntil, ...sandbox }: CreatedSandbox): CommandResult {
  const end = toTimestamp(sandboxUntil);
  const rows = [
    ['account', sandbox.accountId],
    ['test key', sandbox.keys.test],
    ['sandbox until', end],
  ];
  return {
    json: { ...sandbox, sandboxUntil: end },
    table: { rows },
    remark:
      'The key is shown only once. At the end, it stops working, and the data of the sandbox is then deleted.',
  };
}

/**
 * Refuses an operation that is not for sandboxes.
 * @param missing what a sandbox does not have
 * @throws CommandError if the account is a sandbox
 */
export function refuseSandbox({ accountId, sandboxUntil }: Account, missing: string): void {
  if (sandboxUntil === undefined) return;
  throw new CommandError(
    `${accountId} is a sandbox, which has no ${missing}. Create an account without --sandbox for that.`,
  );
}
