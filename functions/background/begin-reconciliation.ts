/** Runs every hour: begins the day's reconciliation, unless it has begun already, and sends what is to be folded. */

import { throwAfterAllSettled } from '../../shared/base/throw-after-all-settled.ts';
import { now } from '../../shared/base/time.ts';
import { scheduleHandler } from '../../shared/operations/background/schedule-handler.ts';
import { sendFolds } from '../../shared/operations/folding/fold-lists.ts';
import { beginReconciliation } from '../../shared/operations/reconciliation/reconcile.ts';

export const handler = scheduleHandler(() => throwAfterAllSettled([beginReconciliation(now()), sendFolds()]));
