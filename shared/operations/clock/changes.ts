/** Creates the answers and changes of the requests that show, move and reset the clock of test mode. */

import type { AuditOrigin } from '../../base/audit-origin.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import {
  type ClockOrigin,
  type MoveClock,
  moveClock,
  type ShownClock,
  type StoredClock,
  showClock,
} from '../../base/test-clock.ts';
import { type Instant, now as readTime } from '../../base/time.ts';
import { recordedChange } from '../../domain/accounts/answer-record.ts';
import { entryActions } from '../../domain/audit/outbox-entry.ts';
import { readEventPosition } from '../../domain/events/log-end-store.ts';
import {
  readAccountClock,
  readStoredClock,
  removeAccountClock,
  writeAccountClock,
} from '../../store/account-clock.ts';
import type { Principal } from '../../store/account-state.ts';
import type { RecordedChange } from '../../store/commit/command.ts';
import type { RequestKey } from '../../store/commit/idempotency-records.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import { prepareTimer } from '../../store/timers/timers.ts';
import { advanceClock } from './advance.ts';
import { moveTimer } from './continue-move.ts';
import { settleChanges } from './due-deliveries.ts';

/** How long a request advances the clock, in milliseconds. The answer must arrive before the gateway gives up. */
const budgetMs = 4_000;

interface ClockRequest {
  readonly principal: Principal;
  readonly requestKey: RequestKey | undefined;
  readonly origin: AuditOrigin | undefined;
  readonly now: Instant;
}

/**
 * Returns the clock. If it still moves, advances it first.
 * @throws ApiError `test_clock_in_live_mode`
 */
export async function readClock(principal: Principal): Promise<ShownClock> {
  requireTestMode(principal.owner);
  const { clock } = principal;
  return showClock(clock?.t === undefined ? clock : await advanceClock(principal, budgetMs), readTime());
}

/**
 * Returns the change that moves the clock, and advances it as far as one request can.
 * @throws ApiError as `moveClock`, and `test_clock_in_live_mode`
 */
export function moveClockChange(request: ClockRequest & { body: MoveClock }): RecordedChange<ShownClock> {
  const { principal, body, requestKey } = request;
  requireTestMode(principal.owner);
  return clockChange(request, async (now) => {
    const { owner } = principal;
    const { clock: before } = await readAccountClock(owner);
    // The answer to the earlier request was not stored, because it crashed.
    const isRepetition = requestKey !== undefined && before?.k === requestKey.keyHash;
    if (isRepetition) return advanceClock(principal, budgetMs);
    const moved = moveClock(before, body, now);
    const origin = moved.s ?? (await readOrigin(owner));
    const key = requestKey && { k: requestKey.keyHash };
    const after = { ...moved, s: origin, ...key };
    // The timer is stored first, so a move that nobody continues has it. It can be the same as that of another request.
    const timer = await prepareTimer(moveTimer(owner.account, readTime()), readTime());
    if (!(await writeAccountClock(owner, before, after, entryOf(request)))) {
      // The same request, sent several times at once, has one move.
      const { clock } = await readAccountClock(owner);
      if (requestKey === undefined || clock?.k !== requestKey.keyHash) throw new ApiError('clock_advancing');
      return advanceClock(principal, budgetMs);
    }
    const reached = await advanceClock(principal, budgetMs);
    if (reached?.t === undefined) await timer.cancel();
    return reached;
  });
}

/** Returns what a reset compares. It waits first, because an event from before the move must not count as a new one. */
async function readOrigin(owner: Owner): Promise<ClockOrigin> {
  await settleChanges(owner, readTime(), performance.now() + budgetMs);
  const { seq } = await readAccountClock(owner);
  return { seq, event: await readEventPosition(owner) };
}

/**
 * Returns the change that sets the account to the real time.
 * @throws ApiError `clock_in_use` if something was made or changed since the clock left the real time; `clock_advancing`;
 *   `test_clock_in_live_mode`
 */
export function resetClockChange(request: ClockRequest): RecordedChange<ShownClock> {
  const { owner } = request.principal;
  requireTestMode(owner);
  return clockChange(request, async () => {
    // Until its first attempt, an event from before the move would count as a new one.
    await settleChanges(owner, readTime(), performance.now() + budgetMs);
    const { clock } = await readAccountClock(owner);
    if (!clock) return undefined;
    if (clock.t !== undefined) throw new ApiError('clock_advancing');
    if (!(await hasNoEventSince(owner, clock))) throw new ApiError('clock_in_use');
    // The answer to a removal can be lost. Then its repetition finds no clock.
    const isRemoved = await removeAccountClock(owner, clock, entryOf(request));
    if (!isRemoved && (await readStoredClock(owner))) throw new ApiError('clock_in_use');
    return undefined;
  });
}

/**
 * Whether no event has been stored or decided since the clock left the real time. An event is in the outbox at least until it is
 * stored. So the outbox is read first: an event that it no longer has is counted in the position.
 */
async function hasNoEventSince(owner: Owner, { s: origin }: StoredClock): Promise<boolean> {
  const unrelayed = await readUnrelayed(owner);
  return (
    unrelayed.every(({ events }) => events.length === 0) && (await readEventPosition(owner)) === origin?.event
  );
}

/** Returns a change whose answer is the clock. A repetition under the idempotency key gets the same answer. */
function clockChange(
  { requestKey: key, now }: ClockRequest,
  change: (now: Instant) => Promise<StoredClock | undefined>,
): RecordedChange<ShownClock> {
  return recordedChange<ShownClock, ShownClock>({
    key,
    now,
    change: async () => showClock(await change(now), readTime()),
    show: (clock) => clock,
  });
}

function requireTestMode({ mode }: Owner): void {
  if (mode === 'live') throw new ApiError('test_clock_in_live_mode');
}

/** Returns the actions that put a request into the outbox for the audit log. They join the transaction of its change. */
const entryOf = ({ principal: { owner }, origin, now }: ClockRequest) =>
  entryActions([owner], origin, { resource: null, changes: [], at: now });
