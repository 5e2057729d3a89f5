/** Ends the schedules of a customer, and deletes the invoices that they make. What they have made is erased as all invoices are. */
import { realClock } from '../../base/clock.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { now } from '../../base/time.ts';
import { fromTemplateItem, scheduleType } from '../../domain/schedules/record.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { endSchedule } from '../../domain/schedules/transitions.ts';
import { Command, internalChange } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { tableKeys } from '../../store/keys.ts';
import { readItems, readRecord } from '../../store/records.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import { type CustomerOf, namesCustomer } from './drafts.ts';

const batchSize = 100;
const callsAtOnce = 16;

/** Whether a stored answer shows a schedule of the customer. */
export function isScheduleOf(
  { id = '', invoice }: { readonly id?: string; readonly invoice?: unknown },
  customerId: string,
): boolean {
  return isRecordId('schedule', id) && invoice != null && namesCustomer(invoice as CustomerOf, customerId);
}

/** Ends the schedules of a customer, and deletes their invoices. @returns how many there were */
export async function endSchedulesOf(owner: Owner, customerId: string, dryRun: boolean): Promise<number> {
  const ids = await readSchedules(owner, (invoice) => namesCustomer(invoice, customerId));
  if (!dryRun) await endEach(owner, ids);
  return ids.length;
}

/** Ends all schedules of an account and mode, and deletes their invoices. */
export async function endAllSchedules(owner: Owner): Promise<void> {
  await endEach(owner, await readSchedules(owner, () => true));
}

/** Returns the ids of the schedules whose invoice is not deleted and fits. Reads those of all schedules. */
async function readSchedules(owner: Owner, fits: (invoice: CustomerOf) => boolean): Promise<string[]> {
  const numbers = await readAllocatedNumbers(owner);
  const ids = Array.from({ length: numbers?.allocated.schedule ?? 0 }, (_, index) =>
    numbers ? recordId(numbers.idKeys.of(index + 1), { ...owner, resource: 'schedule' }, index + 1) : '',
  );
  const found = await mapInChunks(ids, batchSize, (chunk) =>
    readItems(chunk.map(tableKeys.scheduleTemplate)),
  );
  return found.flat().flatMap((item) => (fits(fromTemplateItem(item).content) ? String(item.pk) : []));
}

async function endEach(owner: Owner, ids: readonly string[]): Promise<void> {
  const limited = limitConcurrency(callsAtOnce);
  const endOne = async (id: string) => {
    const clock = realClock(now());
    const loaded = await readRecord(scheduleType, owner, id);
    const command = new Command<[Schedule], undefined>([loaded], (schedule) => ({
      changes: [
        schedule &&
          (endSchedule(schedule, clock.account) ??
            internalChange({ ...schedule, version: schedule.version + 1 })),
      ],
      answer: undefined,
      deletes: [tableKeys.scheduleTemplate(id)],
    }));
    await commitInBackground(command, clock);
  };
  await throwAfterAllSettled(ids.map((id) => limited(() => endOne(id))));
}
