/** Runs every hour: begins the day's reconciliation, unless it has begun already. */
import { scheduleHandler } from '../../shared/background/schedule-handler.ts';
import { beginReconciliation } from '../../shared/reconciliation/reconcile.ts';
import { now } from '../../shared/time.ts';

export const handler = scheduleHandler(() => beginReconciliation(now()));
