/**
 * Caches the account settings that the payment page shows.
 * - An entry is valid for 30 seconds: payers open pages often and settings change rarely, so most pages need no read.
 * - The cache has at most 1000 entries, so that its memory stays bounded. Each Lambda instance has its own cache.
 */
import type { Instant } from '../time.ts';
import type { Account } from './account.ts';

const maxAgeMs = 30_000;
const maxEntries = 1_000;

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

/** Caches settings by account. Concurrent callers share one read. A failed read leaves no entry. */
export class PageSettingsCache {
  readonly #read: (accountId: string) => Promise<PageSettings>;
  readonly #entries = new Map<string, { settings: Promise<PageSettings>; at: Instant }>();

  constructor(read: (accountId: string) => Promise<PageSettings>) {
    this.#read = read;
  }

  /** Returns settings that were read within the last 30 seconds, or reads them now. Rejects if the read fails. */
  get(accountId: string, now: Instant): Promise<PageSettings> {
    const entry = this.#entries.get(accountId);
    if (entry && now >= entry.at && now - entry.at < maxAgeMs) return entry.settings;
    const settings = this.#read(accountId);
    this.#add(accountId, settings, now);
    return settings;
  }

  #add(accountId: string, settings: Promise<PageSettings>, at: Instant): void {
    const entry = { settings, at };
    // Deletes the entry first, because a map keeps the position of an existing key: the first entry must be the oldest.
    this.#entries.delete(accountId);
    this.#entries.set(accountId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    settings.catch(() => {
      if (this.#entries.get(accountId) === entry) this.#entries.delete(accountId);
    });
  }
}
