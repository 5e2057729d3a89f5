/** Creates the Lambda handler of a schedule. */
import type { Context, ScheduledEvent } from 'aws-lambda';
import { rejectAtDeadline, withDeadline } from '../../base/deadline.ts';

/** Creates the handler. If `work` fails or exceeds its deadline, Lambda logs the error. The next run tries again. */
export function scheduleHandler(work: () => Promise<void>) {
  return (_event: ScheduledEvent, context: Context): Promise<void> =>
    withDeadline(context, () => rejectAtDeadline(work));
}
