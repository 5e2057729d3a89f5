/** What this instance refused lately, so that a flood of refused requests costs nothing. Bounded in time and size. */

import { hourOf } from '../store/heads.ts';
import type { Instant } from '../time.ts';

const rememberMs = 5_000;
const maxEntries = 10_000;

/** Refusals under the names of those refused. */
export class RefusalMemory<T> {
  readonly #entries = new Map<string, { refusal: T; at: Instant }>();

  /** What was remembered within the last five seconds of the same clock hour. */
  recall(name: string, now: Instant): T | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (now - entry.at < rememberMs && now >= entry.at && hourOf(now) === hourOf(entry.at))
      return entry.refusal;
    this.#entries.delete(name);
    return undefined;
  }

  remember(name: string, refusal: T, now: Instant): void {
    this.#entries.set(name, { refusal, at: now });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
