/** Shows the next invoices of a schedule, before it makes them. */
import { ApiError } from '../../base/errors.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { instantOfTime, periodOfTime } from '../../domain/schedules/recurrence.ts';
import type { PlannedOccurrence, Schedule } from '../../domain/schedules/schedule.ts';
import { type LoadedSchedule, requireSchedule } from '../../domain/schedules/schedule-store.ts';
import type { Principal } from '../../store/account-state.ts';
import { prepareScheduled, requireSendMode } from './prepare-occurrence.ts';

const times = 12;

/**
 * Returns the next 12 times of a schedule with what their invoices charge, at the tax rates that are known for those days. A schedule that
 * has ended has none.
 * @throws ApiError `schedule_not_found`
 */
export async function previewSchedule(
  principal: Principal,
  loaded: LoadedSchedule,
  now: AccountTime,
): Promise<{ data: PlannedOccurrence[] }> {
  const schedule = requireSchedule(loaded);
  if (schedule.status === 'ended') return { data: [] };
  const planned = Array.from({ length: times }, (_, index) => schedule.next + index).flatMap((number) => {
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

/** The next time can be due already, or be made earlier by a request. */
function atOf(schedule: Schedule, number: number, now: AccountTime): AccountTime | undefined {
  const own = instantOfTime(schedule, number);
  if (own === undefined || number !== schedule.next) return own;
  return Math.max(now, schedule.nextAt ?? own);
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
