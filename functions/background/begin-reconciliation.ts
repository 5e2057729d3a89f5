/** Runs every hour: begins the day's reconciliation, unless it has begun already, and sends what is to be folded. */
import { scheduleHandler } from '../../shared/background/schedule-handler.ts';
import { sendFolds } from '../../shared/folding/fold-lists.ts';
import { beginReconciliation } from '../../shared/reconciliation/reconcile.ts';
import { throwAfterAllSettled } from '../../shared/throw-after-all-settled.ts';
import { now } from '../../shared/time.ts';

export const handler = scheduleHandler(() => throwAfterAllSettled([beginReconciliation(now()), sendFolds()]));
