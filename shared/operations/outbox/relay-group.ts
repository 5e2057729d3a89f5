/**
 * Runs the steps of a relay for several outbox items at once. A failure belongs to the items that caused it: the other
 * items of the group continue, and the items that failed are left out of all later steps.
 */
import type { Limited } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { OutboxItem } from '../../store/commit/outbox-item.ts';
import { isCausedByInput } from '../../store/transactions.ts';

export class RelayGroup {
  /** Why items have failed. */
  readonly failures = new Map<OutboxItem, unknown>();
  readonly #items: readonly OutboxItem[];

  /** @param items the items of one account and mode, without duplicates, oldest first */
  constructor(items: readonly OutboxItem[]) {
    this.#items = items;
  }

  /** The items that have not failed. */
  get open(): OutboxItem[] {
    return this.#items.filter((item) => !this.failures.has(item));
  }

  /**
   * Runs an idempotent step for all items together. If an item is invalid, the step is repeated for each half, and so
   * on, until only the invalid items have failed. Other failures, such as throttling, are failures of all items.
   */
  async together(step: (items: readonly OutboxItem[]) => Promise<void>): Promise<void> {
    await this.#runOrDivide(this.open, step);
  }

  async #runOrDivide(
    items: readonly OutboxItem[],
    step: (items: readonly OutboxItem[]) => Promise<void>,
  ): Promise<void> {
    if (items.length === 0) return;
    try {
      await step(items);
    } catch (error) {
      if (items.length === 1 || !isCausedByInput(error)) {
        for (const item of items) this.failures.set(item, error);
        return;
      }
      const middle = Math.ceil(items.length / 2);
      await this.#runOrDivide(items.slice(0, middle), step);
      await this.#runOrDivide(items.slice(middle), step);
    }
  }

  /**
   * Runs the tasks of each item. An item fails if one of its tasks fails.
   * @param tasksOf returns the tasks of an item. It may throw.
   * @param limited limits how many tasks run at the same time
   */
  async each(
    tasksOf: (item: OutboxItem) => readonly (() => Promise<void>)[],
    limited: Limited,
  ): Promise<void> {
    await Promise.all(
      this.open.map(async (item) => {
        try {
          await throwAfterAllSettled(tasksOf(item).map((task) => limited(task)));
        } catch (error) {
          this.failures.set(item, error);
        }
      }),
    );
  }
}
