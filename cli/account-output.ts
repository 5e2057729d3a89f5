/** Shows accounts to the operator. */

import { type Instant, toTimestamp } from '../shared/base/time.ts';
import { type Account, settingsOrNull } from '../shared/domain/accounts/account.ts';
import { type InstructionSetting, instructionNames } from '../shared/domain/accounts/payment-instructions.ts';

/** Returns the status of an account. `closing`: the command was interrupted, and `accounts close` continues it. */
export function accountStatus({ closedAt, isClosing }: Account): 'open' | 'closing' | 'closed' {
  if (closedAt === undefined) return 'open';
  return isClosing ? 'closing' : 'closed';
}

/** Returns a row for each line of a setting. */
export function rowsOfLines(name: string, text = 'not set'): string[][] {
  return text.split('\n').map((line, index) => [index === 0 ? name : '', line]);
}

/** Returns an account as `--json` prints it. */
export function accountOutput(account: Account) {
  const {
    createdAt,
    closedAt,
    sandboxUntil,
    hasSeller,
    isClosing: _,
    isInMaintenance: __,
    ...others
  } = account;
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    ...others,
    status: accountStatus(account),
    createdAt: toTimestamp(createdAt),
    closedAt: timestamp(closedAt),
    sandboxUntil: timestamp(sandboxUntil),
    hasSeller: hasSeller === true,
    ...settingsOrNull(account),
  };
}

/** The headers of a list of accounts. */
export const accountHeaders = ['ACCOUNT', 'STATUS', 'PLAN', 'CREATED', 'SANDBOX UNTIL', 'NAME'];

type LongText = InstructionSetting | 'paymentQr';
const longTexts: readonly string[] = [...instructionNames, 'paymentQr'] satisfies LongText[];

/** Returns an account as the list of accounts prints it with `--json`: without its long texts. */
export function listedAccount(account: Account) {
  const entries = Object.entries(accountOutput(account)).filter(([name]) => !longTexts.includes(name));
  return Object.fromEntries(entries) as Omit<ReturnType<typeof accountOutput>, LongText>;
}

/** Returns the row of an account in a list. */
export const accountRow = (account: ReturnType<typeof listedAccount>) => [
  account.accountId,
  account.status,
  account.plan,
  account.createdAt,
  account.sandboxUntil ?? '',
  account.name,
];
