/** Every hour: begins the day's reconciliation, if that has not been done. */
import { beginReconciliation } from '../../shared/reconciliation/reconcile.ts';
import { now } from '../../shared/time.ts';

export const handler = () => beginReconciliation(now());
