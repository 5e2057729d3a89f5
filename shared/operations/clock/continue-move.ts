/**
 * Continues the move of a clock that no request continues, for example because the client has crashed.
 *
 * - Each move has a timer, which is stored before the move begins. Its reference is the id of the account, because only test
 *   mode has a clock. The request that ends the move cancels it.
 * - The worker of due dates receives it.
 */
import { isAccountId } from '../../base/ids.ts';
import { type Instant, now } from '../../base/time.ts';
import { readAccountClock, readPrincipalOfClock } from '../../store/account-clock.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { advanceClock } from './advance.ts';

/** How long after its beginning, or after its last progress, the worker continues a move. */
const continueAfterMs = 120_000;
/** How long the worker advances a clock at a time, in milliseconds. Invoices in the same batch do not wait for it. */
const budgetMs = 5_000;

/** Returns the timer of a move. @param at when the move begins, or makes progress, in the real time */
export const moveTimer = (account: string, at: Instant): Timer => ({
  due: at + continueAfterMs,
  kind: 'overdue',
  reference: account,
});

/** Whether a timer is that of a move, and not that of an invoice. */
export const isMoveTimer = ({ reference }: Timer): boolean => isAccountId(reference);

/**
 * Handles the timer of a move: advances the clock if it still moves, and completes the timer. If the clock has not arrived,
 * another timer follows. Without progress, this timer arrives again when its lease ends, each time later.
 */
export async function continueMove(timer: TimerMessage): Promise<void> {
  const owner = { account: timer.reference, mode: 'test' } as const;
  const { clock: before } = await readAccountClock(owner);
  if (before?.t !== undefined) {
    const after = await advanceClock(await readPrincipalOfClock(owner), budgetMs);
    if (after?.t !== undefined && after.v === before.v) return;
    if (after?.t !== undefined) await setTimer(moveTimer(timer.reference, now()), now());
  }
  await completeTimer(timer);
}
