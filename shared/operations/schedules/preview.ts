/** Shows the next invoices of a schedule, before it makes them. */
import { ApiError } from '../../base/errors.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { nextNumbers } from '../../domain/schedules/pauses.ts';
import { instantOfTime, periodOfTime } from '../../domain/schedules/recurrence.ts';
import { isPaused, type PlannedOccurrence, type Schedule } from '../../domain/schedules/schedule.ts';
import { type LoadedSchedule, requireSchedule } from '../../domain/schedules/schedule-store.ts';
import { updateSchedule } from '../../domain/schedules/transitions.ts';
import type { Principal } from '../../store/account-state.ts';
import { prepareScheduled, requireSendMode } from './prepare-occurrence.ts';

const times = 12;

/**
 * Returns the next 12 times of a schedule with what their invoices charge, at the tax rates that are known for those days. A schedule that
 * has ended has none. A paused one has those that it would have if somebody resumed it now. Times that it skips because it is late are none
 * of them.
 * @throws ApiError `schedule_not_found`
 */
export async function previewSchedule(
  principal: Principal,
  loaded: LoadedSchedule,
  now: AccountTime,
): Promise<{ data: PlannedOccurrence[] }> {
  const schedule = afterPause(requireSchedule(loaded), now);
  if (schedule.status === 'ended') return { data: [] };
  const planned = nextNumbers(schedule, now, times).flatMap((number) => {
    const at = atOf(schedule, number, now);
    return at === undefined ? [] : [{ number, at }];
  });
  const settings = schedule.makes === 'send' ? await readAccount(principal.owner.account) : undefined;
  return {
    data: await Promise.all(
      planned.map(async (time) => ({
        number: time.number,
        at: toTimestamp(time.at),
        period: periodOfTime(schedule, time.number),
        ...(await chargeOf(principal, schedule, loaded, time, settings)),
      })),
    ),
  };
}

/** Returns a paused schedule as if somebody resumed it now. */
function afterPause(schedule: Schedule, now: AccountTime): Schedule {
  if (!isPaused(schedule)) return schedule;
  return updateSchedule(schedule, { status: 'active' }, false, now)?.change.record ?? schedule;
}

/** A time can be due already, and a request can make the next one earlier. */
function atOf(schedule: Schedule, number: number, now: AccountTime): AccountTime | undefined {
  const own = instantOfTime(schedule, number);
  if (own === undefined) return undefined;
  return Math.max(now, number === schedule.next ? (schedule.nextAt ?? own) : own);
}

async function chargeOf(
  principal: Principal,
  schedule: Schedule,
  { template }: LoadedSchedule,
  time: { readonly number: number; readonly at: AccountTime },
  settings: Account | undefined,
): Promise<Pick<PlannedOccurrence, 'dueDate' | 'amount' | 'problem'>> {
  if (!template) return { dueDate: null, amount: null, problem: null };
  try {
    const { creation, body } = await prepareScheduled({ ...principal, seq: 1 }, schedule, template, time);
    if (schedule.makes === 'send') await requireSendMode(principal.owner, body, settings);
    const { dueDate, amount } = creation.change.record;
    return { dueDate, amount, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { dueDate: null, amount: null, problem: error.message };
  }
}
