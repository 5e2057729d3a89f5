/**
 * What the payment page shows of an account, and an instance's memory of it: payers come often and settings change
 * rarely, so that a page costs the read only now and then. Bounded in time and size.
 */
import type { Instant } from '../time.ts';
import type { Account } from './account.ts';

const rememberMs = 30_000;
const maxEntries = 1_000;

export interface PageSettings {
  /** Who is paid. */
  readonly payee: string;
  readonly paymentInstructions: string | undefined;
  /** The text of a QR code. */
  readonly paymentQr: string | undefined;
  /** The account is closed: nothing more is paid on its pages. */
  readonly closed: boolean;
}

/** What the page shows of that account: its name unless a display name is set. */
export function pageSettingsOf({ name, displayName, closedAt, ...account }: Account): PageSettings {
  const { paymentInstructions, paymentQr } = account;
  return { payee: displayName ?? name, paymentInstructions, paymentQr, closed: closedAt !== undefined };
}

/** Settings by account. Whoever asks while they are being read waits for the same read; one that fails is forgotten. */
export class PageSettingsMemory {
  readonly #read: (accountId: string) => Promise<PageSettings>;
  readonly #entries = new Map<string, { settings: Promise<PageSettings>; at: Instant }>();

  constructor(read: (accountId: string) => Promise<PageSettings>) {
    this.#read = read;
  }

  /** The settings as they were read within the last 30 seconds, or else are read now. Rejects as the read does. */
  recall(accountId: string, now: Instant): Promise<PageSettings> {
    const entry = this.#entries.get(accountId);
    if (entry && now >= entry.at && now - entry.at < rememberMs) return entry.settings;
    const settings = this.#read(accountId);
    this.#remember(accountId, settings, now);
    return settings;
  }

  #remember(accountId: string, settings: Promise<PageSettings>, at: Instant): void {
    const entry = { settings, at };
    // Deleted first, so that the oldest entry is the first one.
    this.#entries.delete(accountId);
    this.#entries.set(accountId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    settings.catch(() => {
      if (this.#entries.get(accountId) === entry) this.#entries.delete(accountId);
    });
  }
}
