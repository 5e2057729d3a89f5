/**
 * Delivery as streams and queues promise it, at its worst: batches come late, twice, or in another order. A batch
 * that is held back counts as delivered for the poller, and is delivered after some later batches, or by `flush`.
 */

import { runAs } from './invocations.ts';
import { diceOf } from './seeded-random.ts';

export interface Batch<R> {
  Records: R[];
}

export interface UnreliableDelivery<R, Context, Answer> {
  readonly handler: (event: Batch<R>, context: Context) => Promise<Answer | undefined>;
  /** Delivers all that is held back, and holds nothing back from then on. */
  flush(): Promise<void>;
}

/**
 * Wraps the handler of a stream or queue; each delivery is an invocation of its own, named `<name>-<number>`.
 * @param rate the chance of each of the three for each batch
 */
export function unreliable<R, Context, Answer>(
  name: string,
  handler: (event: Batch<R>, context: Context) => Promise<Answer>,
  { seed, rate }: { seed: number; rate: number },
): UnreliableDelivery<R, Context, Answer> {
  let count = 0;
  let batches = 0;
  let calm = false;
  const held: { left: number; deliver: () => Promise<unknown> }[] = [];
  const invoke = (event: Batch<R>, context: Context) =>
    runAs(`${name}-${count++}`, () => handler(event, context));

  const deliverHeld = async (isDue: (entry: { left: number }) => boolean) => {
    const due = held.filter(isDue);
    for (const entry of due) held.splice(held.indexOf(entry), 1);
    for (const { deliver } of due) await deliver().catch(() => {});
  };
  return {
    handler: async (event, context) => {
      const dice = diceOf(seed, name, batches++);
      for (const entry of held) entry.left -= 1;
      const records = dice.chance(rate) ? [...event.Records].reverse() : event.Records;
      const batch = { ...event, Records: records };
      const later = { left: dice.integer(1, 6), deliver: () => invoke(batch, context) };
      if (!calm && dice.chance(rate)) {
        held.push(later);
        return undefined;
      }
      if (!calm && dice.chance(rate)) held.push(later);
      const answer = await invoke(batch, context);
      await deliverHeld(({ left }) => left <= 0);
      return answer;
    },
    flush: async () => {
      calm = true;
      await deliverHeld(() => true);
    },
  };
}
