/**
 * Kills the stack at random times: when it calls a provider, before or after the call takes effect, or some time after the clock
 * has advanced.
 */
import type { LocalDoubles } from '../../../infra/local/doubles.ts';
import { seededRandom } from '../seeded-random.ts';
import type { KillableStack } from './killable-stack.ts';
import { dayMs, hourMs } from './stories.ts';

/** Returns what plans the next kill when its time has come. */
export function planKills(
  seed: number,
  kills: number,
  stack: KillableStack,
  doubles: LocalDoubles,
): { readonly arm: (atMs: number) => void; readonly disarm: () => void } {
  const random = seededRandom(seed, 'kills');
  // Most requests are in the first hours.
  const times = Array.from({ length: kills }, () =>
    random.chance(0.7) ? random.integer(0, 8 * hourMs) : random.integer(0, 5 * dayMs),
  ).toSorted((one, other) => one - other);
  let callsLeft = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const isFatal = () => {
    if (--callsLeft !== 0) return false;
    callsLeft = Number.POSITIVE_INFINITY;
    stack.kill();
    return true;
  };
  const arm = (atMs: number) => {
    if ((times[0] ?? Number.POSITIVE_INFINITY) > atMs) return;
    times.shift();
    if (random.chance(0.3)) {
      clearTimeout(timer);
      timer = setTimeout(stack.kill, random.integer(0, 500));
      return;
    }
    callsLeft = random.integer(1, 12);
    const when = random.chance(0.4) ? 'before' : 'after';
    const double = doubles[random.chance(0.5) ? 'stripe' : 'razorpay'];
    double.faults.inject({ fault: { kind: 'lose', when }, on: isFatal });
  };
  return { arm, disarm: () => clearTimeout(timer) };
}
