/** Defines the account settings that the payment page shows. */
import type { Account } from './account.ts';

export interface PageSettings {
  /** The display name. Undefined: the page names no payee, because the account's own name is internal. */
  readonly payee: string | undefined;
  readonly paymentInstructions: string | undefined;
  /** The text of a QR code. */
  readonly paymentQr: string | undefined;
  /** Whether the account is closed. Pages of a closed account take no payments. */
  readonly closed: boolean;
  /** The service is in maintenance. Pages take no payments until it ends. */
  readonly isInMaintenance: boolean;
  /** The days after which the link of a paid or cancelled invoice expires. Undefined: never. */
  readonly payLinkDays: number | undefined;
}

/** Returns the settings of an account for the page. */
export function toPageSettings({ displayName: payee, closedAt, ...account }: Account): PageSettings {
  const { paymentInstructions, paymentQr, isInMaintenance, payLinkDays } = account;
  const closed = closedAt !== undefined;
  return { payee, paymentInstructions, paymentQr, closed, isInMaintenance, payLinkDays };
}

/** Whether the payment page of the account takes payments: the account is open and not in maintenance. */
export const isTakingPayments = ({ closed, isInMaintenance }: PageSettings): boolean =>
  !closed && !isInMaintenance;
