/**
 * Tracks the calls that are in flight and decides which calls conflict. A transaction conflicts with any write, and with
 * any other transaction, on one of its items. Two read transactions do not conflict.
 */
import { contendedItems, isTransaction, type WireCall } from './wire-call.ts';

interface InFlightCall {
  readonly items: readonly string[];
  readonly isTransaction: boolean;
  readonly isRead: boolean;
}

export class InFlightCalls {
  readonly #calls = new Set<InFlightCall>();

  /** Returns the indexes of those items of the call over which it conflicts with a call in flight. */
  conflictsOf(call: WireCall): number[] {
    const own = describe(call);
    const rivals = [...this.#calls].filter(
      (other) => (own.isTransaction || other.isTransaction) && !(own.isRead && other.isRead),
    );
    return own.items.flatMap((item, index) =>
      rivals.some(({ items }) => items.includes(item)) ? [index] : [],
    );
  }

  /** Adds the call. Returns a function that removes it. */
  enter(call: WireCall): () => void {
    const entry = describe(call);
    this.#calls.add(entry);
    return () => this.#calls.delete(entry);
  }
}

const describe = (call: WireCall): InFlightCall => ({
  items: contendedItems(call),
  isTransaction: isTransaction(call),
  isRead: call.operation === 'TransactGetItems',
});
