/**
 * Counts requests of each network in the memory of this instance, and decides when the table has to know them. So a
 * flood of forged keys causes one write for ten requests, and a few wrong keys cause none.
 *
 * - An instance writes the requests of a network in batches. The answer to a write is the count of all instances.
 * - An instance does not know the requests that others have not written yet. With N instances and batches of ten, a
 *   network gets at most 9 × N requests more than the limit. A single instance is exact.
 * - Counts only rise within a clock hour. So a network over the limit stays refused until the hour ends.
 */

import type { Instant } from '../../base/time.ts';
import { hourOf } from '../../store/account-state.ts';

/** The number of requests without a valid API key that one write counts. */
export const sourceBatchSize = 10;
const maxNetworks = 10_000;

interface SourceCount {
  readonly hour: number;
  /** The requests in the hour, as far as this instance knows. */
  known: number;
  /** The requests that the table does not contain yet. */
  unwritten: number;
}

export class SourceCounts {
  readonly #counts = new Map<string, SourceCount>();
  readonly #batchSize: number;

  /** @param batchSize the number of requests that one write counts */
  constructor(batchSize = sourceBatchSize) {
    this.#batchSize = batchSize;
  }

  /**
   * Counts a request of a network. Forgets the network that was first seen if there are too many.
   * @param weight as how many requests the request counts
   * @returns the requests of the network in this clock hour, and how many of them the caller has to write now
   */
  add(network: string, now: Instant, weight = 1): { known: number; toWrite: number } {
    const count = this.#countOf(network, now);
    count.known += weight;
    count.unwritten += weight;
    const toWrite = count.unwritten < this.#batchSize ? 0 : count.unwritten;
    if (toWrite > 0) count.unwritten = 0;
    return { known: count.known, toWrite };
  }

  /** Notes the count of a network in the table, after a write at the time `now`. */
  learn(network: string, written: number, now: Instant): void {
    const count = this.#countOf(network, now);
    count.known = Math.max(count.known, written + count.unwritten);
  }

  #countOf(network: string, now: Instant): SourceCount {
    const hour = hourOf(now);
    const existing = this.#counts.get(network);
    if (existing?.hour === hour) return existing;
    const count = { hour, known: 0, unwritten: 0 };
    this.#counts.set(network, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxNetworks && oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }
}
