/** Account holders, their plans, settings and API keys: what there is to know, and what is allowed. */
import type { Mode } from '../ids.ts';
import type { Permission } from '../permissions.ts';
import type { Instant } from '../time.ts';

/** Requests per clock hour, over all keys of an account in one mode. */
export const plans = { standard: 1000, enterprise: 5000 } as const;

export type Plan = keyof typeof plans;

/** Keys per account and mode that are neither revoked nor expired. */
export const maxUsableKeys = 10;

/** What the account holder chose for the payment page; undefined: nothing. */
export interface AccountSettings {
  /** Who is paid, as payers know them. */
  readonly displayName: string | undefined;
  /** How to pay by other means than the page; lines end in a line feed. */
  readonly paymentInstructions: string | undefined;
  /** The text of a QR code that a payer's bank understands. */
  readonly paymentQr: string | undefined;
}

/** Settings to change; null takes one away. */
export type SettingsChange = { readonly [Name in keyof AccountSettings]?: string | null | undefined };

export interface Account extends AccountSettings {
  readonly accountId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: Instant;
  /** Since when nothing new can begin in it, for good. */
  readonly closedAt: Instant | undefined;
  /** Closing it was interrupted: its keys may still work. */
  readonly isClosing: boolean;
}

/** Nothing new can begin in an account that is closed. */
export class AccountClosedError extends Error {
  constructor(accountId: string) {
    super(`The account ${accountId} is closed.`);
  }
}

/** Characters of payment instructions. */
export const maxInstructions = 2000;
/** Bytes of a QR code's text in UTF-8: bank links and EMV codes stay well below; with more it gets too fine for a phone. */
export const maxQrBytes = 400;

export interface ApiKey {
  readonly keyId: string;
  readonly mode: Mode;
  readonly name: string;
  /** The end of its value, by which people recognise it. */
  readonly last4: string;
  /** Undefined: all. */
  readonly permissions: readonly Permission[] | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly lastUsedAt: Instant | undefined;
}

/** Whether a key can be used, or why not. One that is both expired and revoked is revoked. */
export function statusOf({ expiresAt, revokedAt }: ApiKey, now: Instant): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/**
 * Whether a text can stand on the page as payment instructions: lines of writing. Of the invisible characters only
 * those pass that Indic scripts join letters with; the others, such as a change of direction, could play tricks.
 */
export function arePaymentInstructions(text: string): boolean {
  return isWriting(text, maxInstructions, /^[\n\p{Join_Control}\P{C}]*$/u);
}

/** Whether a text can be shown as a QR code. */
export function isQrText(text: string): boolean {
  return isWriting(text, maxQrBytes, /^[^\p{C}\p{Zl}\p{Zp}]*$/u) && Buffer.byteLength(text) <= maxQrBytes;
}

function isWriting(text: string, maxCharacters: number, allowed: RegExp): boolean {
  return text.trim() !== '' && [...text].length <= maxCharacters && allowed.test(text);
}
