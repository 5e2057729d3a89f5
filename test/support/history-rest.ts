/** How a run comes to rest: time passes, in steps, until nothing waits any more, neither money nor a delivery. */
import type { TestClock } from './clock.ts';
import type { FaultLayer } from './fault-layer.ts';
import type { TestItem, TestTable } from './table.ts';
import type { Background } from './unreliable-background.ts';
import { waitUntil } from './wait-until.ts';

export interface Resting {
  readonly table: TestTable;
  readonly layer: FaultLayer;
  readonly background: Background;
  readonly clock: TestClock;
  readonly moveClock: (ms: number) => void;
}

/** Longer than any lease; so that money settles within the 24 hours for which keys are kept, whatever it waits for. */
const stepMs = 45 * 60_000;
/** More than the attempts of a delivery, twice. */
const maxSteps = 40;

/** Time goes on by one step at least. What still waits after many steps is the audits' to find. */
export async function comeToRest({ table, layer, background, clock, moveClock }: Resting): Promise<void> {
  await waitUntil('no request is under way', () => layer.running() === 0);
  let waits: readonly TestItem[] = [];
  const isDue = (item: TestItem) => !isTimer(item) || item.due <= clock.now();
  const isDone = async () => {
    // Few items, which tell in most cases that it is too early to look at all.
    waits = (await table.all('TIMER#')).filter(isDue);
    if (waits.length === 0) waits = waitingIn(await table.all(''), clock.now());
    return !waits.some(isDue);
  };
  for (let step = 0; step < maxSteps && (step === 0 || waits.length > 0); step++) {
    // No message is to be under way while the clock is moved on by hours.
    await background.idle();
    const isMoneySettled = step > 0 && waits.every(isTimer);
    const last = Math.max(...waits.filter(isTimer).map(({ due }) => due - clock.now()), 0);
    moveClock(isMoneySettled ? Math.max(last, stepMs) : stepMs);
    await background.sweep();
    await background.idle();
    // What is not done by then has died, and waits for its watchdog.
    await waitUntil('all that is due is done', isDone, { deadlineMs: 1_500, everyMs: 50 }).catch(() => {});
  }
}

const isTimer = ({ pk }: TestItem): boolean => pk.startsWith('TIMER#');

/** The outbox, invoices that are overdue and do not show it, payments and refunds without an outcome, timers of webhooks. */
function waitingIn(items: readonly TestItem[], now: number): TestItem[] {
  return items.filter(({ pk, sk, status, overdueAt, owed, kind }) => {
    if (pk.startsWith('TIMER#')) return kind === 'webhook' || kind === 'recovery';
    if (sk !== 'RECORD') return pk.startsWith('OUTBOX#');
    return owed || (status === 'pending' && (overdueAt === undefined || overdueAt <= now));
  });
}
