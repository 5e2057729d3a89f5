/** Reads the account that `--account` names, for all commands of operators that have this option. */
import { type Account, AccountClosedError } from '../shared/domain/accounts/account.ts';
import { CommandError, type OptionSpec, type ParsedOptions } from './command.ts';
import { loadAccountStores } from './table-connection.ts';

export const accountOption: OptionSpec = { value: 'ACCOUNT', about: 'Account ID (acct_…).', required: true };

/**
 * Returns the account id of `--account`.
 * @throws CommandError if the account does not exist
 */
export async function requireAccountId(options: ParsedOptions): Promise<string> {
  return (await readRequestedAccount(options)).accountId;
}

/**
 * Returns the account of `--account` for a command that has no effect on a closed account.
 * @throws CommandError if the account does not exist
 * @throws AccountClosedError if the account is closed
 */
export async function requireOpenAccount(options: ParsedOptions): Promise<Account> {
  const account = await readRequestedAccount(options);
  if (account.closedAt !== undefined) throw new AccountClosedError(account.accountId);
  return account;
}

/** Returns the account of `--account`. @throws CommandError if the account does not exist */
export async function readRequestedAccount(options: ParsedOptions): Promise<Account> {
  const accountId = options.required('account');
  return (await (await loadAccountStores()).readAccount(accountId)) ?? throwUnknownAccount(accountId);
}

/** @throws CommandError always, with the remedy */
export function throwUnknownAccount(accountId: string): never {
  throw new CommandError(
    `There is no account ${accountId}. To see all accounts, run npx remit accounts list.`,
  );
}
