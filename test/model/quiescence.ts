/** Advances the clock until the system is quiescent: no payment, refund, delivery or outbox item needs more work. */
import type { TestClock } from '../support/clock.ts';
import type { FaultLayer } from '../support/fault-layer.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import type { Background } from '../support/unreliable-background.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface QuiescenceOptions {
  readonly table: TestTable;
  readonly layer: FaultLayer;
  readonly background: Background;
  readonly clock: TestClock;
  /** Advances the clock by `ms` milliseconds. */
  readonly advanceClock: (ms: number) => void;
}

/**
 * Longer than the leases of an hour of failures. Short enough that payments and refunds settle within the 24 hours for which
 * idempotency keys are kept.
 */
const stepMs = 45 * 60_000;
/** More than twice the number of attempts of a delivery. */
const maxSteps = 40;

/** Advances the clock by one step or more. Work that is left after the last step is for the audits to find. */
export async function advanceToQuiescence(options: QuiescenceOptions): Promise<void> {
  const { table, layer, background, clock, advanceClock } = options;
  await waitUntil('no request is running', () => layer.countRunning() === 0);
  let pending: readonly TestItem[] = [];
  const isDue = (item: TestItem) => !isTimer(item) || item.due <= clock.now();
  const hasNothingDue = async () => {
    // Timers are few. If one is due, there is no need to read the whole table.
    pending = (await table.all('TIMER#')).filter(isDue);
    if (pending.length === 0) pending = pendingWorkIn(await table.all(''), clock.now());
    return !pending.some(isDue);
  };
  for (let step = 0; step < maxSteps && (step === 0 || pending.length > 0); step++) {
    const onlyTimersLeft = step > 0 && pending.every(isTimer);
    const untilLastTimerMs = Math.max(...pending.filter(isTimer).map(({ due }) => due - clock.now()), 0);
    const stepOfTimersMs = onlyTimersLeft ? Math.max(untilLastTimerMs, stepMs) : stepMs;
    // A receiver refuses a message that was signed minutes ago.
    await background.whileIdle(() => advanceClock(stepOfTimersMs));
    await background.sweep();
    await background.idle();
    // Work that is not done by then has crashed. Its watchdog restarts it in a later step.
    await waitUntil('all due work is done', hasNothingDue, { deadlineMs: 1_500, everyMs: 250 }).catch(
      () => {},
    );
  }
}

const isTimer = ({ pk }: TestItem): boolean => pk.startsWith('TIMER#');

/**
 * Returns the items that need more work: outbox items, invoices that must become overdue, payments and refunds without
 * an outcome, and timers of webhooks. A payment of another amount waits for a person.
 */
function pendingWorkIn(items: readonly TestItem[], now: number): TestItem[] {
  return items.filter(({ pk, sk, status, overdueAt, pendingCompensation, pendingReason, kind }) => {
    if (pk.startsWith('TIMER#')) return kind === 'webhook' || kind === 'recovery';
    if (sk !== 'RECORD') return pk.startsWith('OUTBOX#');
    if (pendingReason === 'amount_differs') return false;
    return pendingCompensation || (status === 'pending' && (overdueAt === undefined || overdueAt <= now));
  });
}
