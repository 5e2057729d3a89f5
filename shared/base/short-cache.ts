/**
 * Caches what payment pages show and what changes rarely.
 * - An entry is valid for 30 seconds: payers open pages often, so most pages need no read.
 * - A cache has at most 1000 entries, so that its memory stays bounded. Each Lambda instance has its own.
 */
import type { Instant } from './time.ts';

const maxAgeMs = 30_000;
const maxEntries = 1_000;

/** Caches values by name. Concurrent callers share one read. A failed read leaves no entry. */
export class ShortCache<Value> {
  readonly #entries = new Map<string, { value: Promise<Value>; at: Instant }>();

  /**
   * Returns a value that was read within the last 30 seconds, or reads it now. Rejects if the read fails.
   * @param read reads the value of this name
   */
  get(name: string, now: Instant, read: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(name);
    if (entry && now >= entry.at && now - entry.at < maxAgeMs) return entry.value;
    const value = read();
    this.#add(name, value, now);
    return value;
  }

  #add(name: string, value: Promise<Value>, at: Instant): void {
    const entry = { value, at };
    // Deletes the entry first, because a map keeps the position of an existing key: the first entry must be the oldest.
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    value.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
  }
}
