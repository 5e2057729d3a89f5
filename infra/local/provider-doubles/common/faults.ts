/** Keeps the faults that a test injects into a provider double. */
import type { DoubleRequest } from './double-messages.ts';

/**
 * What happens to a request. With `when: 'before'` the double does not execute it, with `when: 'after'` it does.
 *
 * - `lose`: the connection breaks, and no answer arrives.
 * - `answer`: the client gets this answer.
 * - `hang`: no answer arrives, and the connection stays open.
 * - `slow body`: the answer begins, and never ends.
 * - `endless body`: the answer never ends, and sends as fast as it can.
 * - `hold`: the double begins the request, and executes it when `until` resolves.
 */
export type InjectedFault =
  | { readonly kind: 'lose'; readonly when: 'before' | 'after' }
  | {
      readonly kind: 'answer';
      readonly when?: 'before' | 'after';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'hang' | 'slow body' | 'endless body'; readonly when?: 'before' | 'after' }
  | { readonly kind: 'hold'; readonly until: Promise<void> };

export interface FaultRule {
  readonly fault: InjectedFault;
  /** The requests that the fault may meet. The default is all. */
  readonly on?: (request: DoubleRequest) => boolean;
  /** The number of such requests that pass first. */
  readonly skip?: number;
  /** How many requests meet the fault. The default is one. */
  readonly times?: number;
}

export class DoubleFaults {
  #rules: { readonly rule: FaultRule; seen: number }[] = [];

  /** Adds a fault. @returns a function that removes it */
  inject(rule: FaultRule): () => void {
    const entry = { rule, seen: 0 };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((each) => each !== entry);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** Returns the fault that a request meets, and counts the request. */
  take(request: DoubleRequest): InjectedFault | undefined {
    for (const entry of this.#rules) {
      const { fault, on, skip = 0, times = 1 } = entry.rule;
      if (on && !on(request)) continue;
      const index = entry.seen++ - skip;
      if (index >= 0 && index < times) return fault;
    }
    return undefined;
  }
}
