/** Defines the account settings that the payment page and mails show. */
import { type Account, type AccountSettings, settingsOf } from './account.ts';

export interface PageSettings extends Omit<AccountSettings, 'displayName'> {
  /** The display name. Undefined: the page names no payee, because the account's own name is internal. */
  readonly payee: string | undefined;
  /** Whether the account is closed. Pages of a closed account take no payments. */
  readonly closed: boolean;
  /** The service is in maintenance. Pages take no payments until it ends. */
  readonly isInMaintenance: boolean;
}

/** Returns the settings of an account for the page. */
export function toPageSettings(account: Account): PageSettings {
  const { displayName: payee, ...settings } = settingsOf(account);
  const { closedAt, isInMaintenance } = account;
  return { ...settings, payee, closed: closedAt !== undefined, isInMaintenance };
}

/** Whether the payment page of the account takes payments: the account is open and not in maintenance. */
export const isTakingPayments = ({ closed, isInMaintenance }: PageSettings): boolean =>
  !closed && !isInMaintenance;
