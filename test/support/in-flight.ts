/** The calls that are under way, and which of them conflict: a transaction with any write, or other transaction, on one of its items. */
import { contendedItems, isTransaction, type WireCall } from './wire-call.ts';

export class InFlight {
  readonly #calls = new Set<{ items: ReadonlySet<string>; transaction: boolean; reads: boolean }>();

  /** The places, among the call's items, of those over which it conflicts with a call under way. */
  conflictsOf(call: WireCall): number[] {
    const items = contendedItems(call);
    const reads = call.operation === 'TransactGetItems';
    const others = [...this.#calls].filter(
      (other) => (isTransaction(call) || other.transaction) && !(reads && other.reads),
    );
    return items.flatMap((item, index) => (others.some((other) => other.items.has(item)) ? [index] : []));
  }

  /** The call is under way until the function returned is called. */
  enter(call: WireCall): () => void {
    const entry = {
      items: new Set(contendedItems(call)),
      transaction: isTransaction(call),
      reads: call.operation === 'TransactGetItems',
    };
    this.#calls.add(entry);
    return () => this.#calls.delete(entry);
  }
}
