/**
 * Remembers what this instance refused recently, so a flood of refused requests makes no calls to the table.
 *
 * - A refusal is forgotten after five seconds or at the end of the clock hour, because then the answer may differ.
 * - The number of refusals is limited, so the memory of the instance is too.
 */

import type { Instant } from '../../base/time.ts';
import { hourOf } from '../../store/account-state.ts';

const rememberMs = 5_000;
const maxEntries = 10_000;

/** Stores refusals by name. The name identifies the API key that was refused, with the network of its source address if that matters. */
export class RefusalMemory<T> {
  readonly #entries = new Map<string, { refusal: T; at: Instant }>();

  /**
   * Returns the refusal that was remembered for `name` within the last five seconds and in the same clock hour, if any.
   */
  recall(name: string, now: Instant): T | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (now - entry.at < rememberMs && now >= entry.at && hourOf(now) === hourOf(entry.at))
      return entry.refusal;
    this.#entries.delete(name);
    return undefined;
  }

  /** Remembers a refusal. Forgets the oldest one if there are too many. */
  remember(name: string, refusal: T, now: Instant): void {
    this.#entries.set(name, { refusal, at: now });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
